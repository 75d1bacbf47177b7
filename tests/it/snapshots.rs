//! What the attributes emit, formatted: one snapshot an artefact, under `tests/snapshots`.
//!
//! Where each form of a signature is shown, and where it runs (in `tests/it/routing` unless said otherwise):
//!
//! | form | snapshot | runs in |
//! |---|---|---|
//! | `Option`, `Vec`, nested and aliased types, slices, `Result`, mixed outputs, a device alone | `trait_types` | `containers` |
//! | structs and enums, generic, with lifetimes, where-clauses and `PhantomData` | `derive_struct`, `derive_enum`, `trait_types` | `extension_types` |
//! | types without tensors | `derive_plain` | `extension_types` |
//! | `async fn`, `impl Future + Send`, `unsafe fn`, `_` and `mut`, raw names, default bodies | `trait_functions` | `forms` |
//! | generics, constants, lifetimes, `impl Trait` arguments | `trait_functions`, `trait_types` | `generics` |
//! | generic traits, constants with values | `trait_generic` | `generics` |
//! | associated types | `trait_associated_type` | `associated` |
//! | `#[cfg]` on ops and arguments, `#[must_use]`, `#[deprecated]`, lints | `trait_functions`, `trait_conditional_arguments`, `trait_types` | `attributes` |
//! | arguments named like our locals, types named like ours | `trait_types` | `hygiene` |
//! | ops of a library, and for any backend | `trait_schema`, `trait_schema_condition`, `trait_any_backend` | `dispatches`, `any_backend` |
//! | formulas | `op_*` | `tests/it/autodiff` |
//!
//! `cargo xtask bless` writes them anew. Generated code is read by people, so a change here is reviewed like any other.

use proc_macro2::TokenStream;

/// Compares what one item of a source becomes with the snapshot of this name.
#[track_caller]
fn assert_expansion(snapshot: &str, item: &str, source: &str) {
    settings().bind(|| opswitch_testing::assert_expansion!(snapshot, item, source));
}

#[track_caller]
fn assert_snapshot(snapshot: &str, source: &str, expanded: &str) {
    settings().bind(|| insta::assert_snapshot!(snapshot, format!("{source}\n\n// becomes\n\n{expanded}")));
}

/// Snapshots in a folder of their own, without the names of modules.
fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// Compares what the only method of a trait with formulas becomes.
#[track_caller]
fn assert_op(snapshot: &str, method: &str) {
    let source = format!(
        "#[backend_extension(dispatch = Dispatch)]\npub trait FusedOps: CoreOps {{\n{}\n}}",
        method.trim_matches('\n')
    );
    assert_expansion(snapshot, "FusedOps", &source);
}

mod dispatch {
    use super::assert_expansion;

    #[test]
    fn two_backends_a_condition_and_autodiff() {
        assert_expansion(
            "dispatch",
            "Dispatch",
            r#"
/// The backends of this program.
#[backend_extension(Cpu, Wgpu = opswitch_wgpu::Wgpu: cfg(feature = "wgpu"), Autodiff)]
pub struct Dispatch;
"#,
        );
    }

    #[test]
    fn one_backend_alone() {
        assert_expansion(
            "dispatch_plain",
            "Inference",
            r"
#[backend_extension(Cpu, families = none)]
pub(crate) struct Inference;
",
        );
    }

    #[test]
    fn conditions_on_everything() {
        assert_expansion(
            "dispatch_conditions",
            "Dispatch",
            r#"
#[backend_extension(
    crate = renamed::opswitch,
    Cpu: cfg(feature = "cpu"),
    Npu = acme::Npu: cfg(all(feature = "npu", target_os = "linux")),
    Autodiff: cfg(feature = "autodiff"),
)]
struct Dispatch;
"#,
        );
    }
}

mod traits {
    use super::assert_expansion;

    /// The example of the design, with the dispatch beside it.
    #[test]
    fn on_a_dispatch() {
        assert_expansion(
            "trait_on_dispatch",
            "FusedOps",
            r#"
#[backend_extension(Cpu, Wgpu = opswitch_wgpu::Wgpu: cfg(feature = "wgpu"), Autodiff)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub trait FusedOps: CoreOps {
    /// `relu(lhs @ rhs + bias)`.
    #[backward {
        let masked = B::relu_backward(output, grad);
        lhs => B::float_matmul(masked.clone(), B::float_transpose(rhs));
        rhs => B::float_matmul(B::float_transpose(lhs), masked.clone());
        bias => B::float_sum_to(masked, bias.shape());
    }]
    fn matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self>;
}
"#,
        );
    }

    #[test]
    fn as_a_library() {
        assert_expansion(
            "trait_schema",
            "FlashOps",
            r"
#[backend_extension]
pub trait FlashOps: CoreOps {
    #[backward(none)]
    fn flash(
        queries: FloatTensor<Self>,
        mask: Option<BoolTensor<Self>>,
        tables: &[IntTensor<Self>],
        scale: f64,
    ) -> Result<(FloatTensor<Self>, FloatTensor<Self>), FlashError>;
}
",
        );
    }

    #[test]
    fn as_a_library_with_a_condition() {
        assert_expansion(
            "trait_schema_condition",
            "FftOps",
            r#"
#[backend_extension]
#[backward(none)]
pub trait FftOps: CoreOps {
    fn fft(x: FloatTensor<Self>) -> FloatTensor<Self>;

    #[cfg(feature = "inverse")]
    fn inverse_fft(x: FloatTensor<Self>) -> FloatTensor<Self>;
}
"#,
        );
    }

    /// Its bodies are its kernels, on backends that it does not know.
    #[test]
    fn as_a_library_for_any_backend() {
        assert_expansion(
            "trait_any_backend",
            "FlashOps",
            r"
#[backend_extension(backends = any)]
pub trait FlashOps<U: crate::Unit>: CoreOps {
    #[backward { x => B::float_mul_scalar(grad, unit.factor()); }]
    fn scale(mut x: FloatTensor<Self>, unit: U) -> FloatTensor<Self> {
        x = Self::float_mul_scalar(x, unit.factor());
        x
    }

    #[backward(default)]
    fn scale_twice(x: &FloatTensor<Self>, unit: U) -> FloatTensor<Self> {
        Self::scale(Self::scale(x.clone(), unit), unit)
    }

    #[backward(none)]
    async fn later<const N: usize>(x: FloatTensor<Self>) -> [FloatTensor<Self>; N] {
        [(); N].map(|()| x.clone())
    }
}
",
        );
    }

    #[test]
    fn in_the_short_form() {
        assert_expansion(
            "trait_short_form",
            "ScaleOps",
            r"
#[backend_extension(Cpu, Autodiff, families = none)]
pub trait ScaleOps: Backend {
    #[backward(none)]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}
",
        );
    }

    #[test]
    fn generic_in_a_type() {
        assert_expansion(
            "trait_generic",
            "SampleOps",
            r"
#[backend_extension(Cpu, Autodiff, families = none)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub(crate) trait SampleOps<R: Rng = StdRng>: Backend
where
    R: Send,
{
    /// How many at once.
    const BATCH: usize = 16;

    #[backward(none)]
    fn sample(probabilities: &FloatTensor<Self>, rng: &mut R) -> IntTensor<Self>;

    #[backward { x => grad; }]
    fn jitter(x: FloatTensor<Self>, rng: &mut R) -> FloatTensor<Self>;
}
",
        );
    }

    /// What routing makes of each kind of type: it asks traits, so that they all look alike.
    #[test]
    fn every_kind_of_type() {
        assert_expansion(
            "trait_types",
            "TypeOps",
            r"
#[backend_extension(Cpu, families = none)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub trait TypeOps: Backend {
    fn containers(x: Option<FloatTensor<Self>>, list: Vec<(Image<Self>, usize)>) -> Vec<Option<Image<Self>>>;

    fn slices(x: &FloatTensor<Self>, list: &[FloatTensor<Self>], names: &[String]) -> usize;

    fn structs(scene: Scene<'_, Self, String, 2>, light: &Light<Self>, marker: PhantomData<Self>) -> Scene<'static, Self, String, 2>;

    fn attempt(x: Float<Self>, y: Result<Float<Self>, String>) -> Result<Float<Self>, DispatchError>;

    fn mixed(x: FloatTensor<Self>, mask: BoolTensor<Self>) -> (FloatTensor<Self>, BoolTensor<Self>, IntTensor<Self>, f64);

    fn created(extent: usize, device: Device<Self>) -> FloatTensor<Self>;

    #[must_use]
    #[deprecated]
    fn old(x: FloatTensor<Self>) -> FloatTensor<Self>;

    fn names(call: FloatTensor<Self>, to: FloatTensor<Self>, device: &Device<Self>, shape: impl Into<Shape>);
}
",
        );
    }

    /// What routing makes of each kind of function.
    #[test]
    fn with_a_type_and_a_constant() {
        assert_expansion(
            "trait_associated_type",
            "PlanOps",
            r"
#[backend_extension(Cpu, Wgpu, Autodiff, families = none)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub trait PlanOps: FloatOps {
    /// How a backend runs an op.
    type Plan: Clone + Debug + Send + Sync + 'static;

    /// How many values one step handles.
    const TILE: usize = 16;

    #[backward(none)]
    fn run(x: FloatTensor<Self>, plan: &Self::Plan) -> FloatTensor<Self>;
}
",
        );
    }

    #[test]
    fn with_a_condition_on_arguments() {
        assert_expansion(
            "trait_conditional_arguments",
            "BiasOps",
            r#"
#[backend_extension(Cpu, families = none)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub trait BiasOps: FloatOps {
    #[backward {
        x => B::float_mul_scalar(grad, scale);
        bias => grad;
    }]
    fn affine(
        x: FloatTensor<Self>,
        scale: f64,
        #[cfg(feature = "bias")] bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}
"#,
        );
    }

    #[test]
    fn every_kind_of_function() {
        assert_expansion(
            "trait_functions",
            "ManyOps",
            r#"
#[backend_extension(Cpu, families = none)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub trait ManyOps: Backend {
    async fn load(path: String, device: &Device<Self>) -> Result<FloatTensor<Self>, LoadError>;

    fn read(x: FloatTensor<Self>) -> impl Future<Output = Vec<f32>> + Send;

    unsafe fn unchecked(x: FloatTensor<Self>, index: usize) -> FloatTensor<Self>;

    fn roll<'a, E: Element, const D: usize>(x: FloatTensor<Self>, shifts: &'a [E; D]) -> FloatTensor<Self>
    where
        E: Copy;

    #[cfg(feature = "fft")]
    #[allow(clippy::too_many_arguments)]
    fn fft(x: [FloatTensor<Self>; 2], _: usize) -> (FloatTensor<Self>, FloatTensor<Self>);

    fn seed(seed: u64, device: &Device<Self>);

    fn twice(mut x: FloatTensor<Self>, r#type: DType) -> FloatTensor<Self> {
        x = Self::unchanged(x, r#type);
        Self::unchanged(x, r#type)
    }

    fn unchanged(x: FloatTensor<Self>, r#type: DType) -> FloatTensor<Self>;
}
"#,
        );
    }
}

#[test]
fn extending_a_dispatch_with_two_traits() {
    let request = "crate = renamed; crate::Dispatch: flash::FlashOps, fft::FftOps";
    let expanded = opswitch_codegen::extend_dispatch(request.parse().unwrap());
    let file = syn::parse2(expanded).unwrap();
    assert_snapshot(
        "extend_dispatch",
        &format!("extend_dispatch!({request});"),
        &prettyplease::unparse(&file),
    );
}

/// Functions by their names, a macro by the words that it is given.
#[test]
fn marking_an_implementation() {
    let item = r#"
impl FusedOps for Cpu {
    type Scratch = ();

    fn matmul_add_relu(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
        kernels::matmul(lhs, rhs)
    }

    #[cfg(feature = "fft")]
    fn r#loop(x: CpuTensor) -> CpuTensor {
        x
    }

    unary_methods! { exp: |x| x.exp(), CpuTensor; ln: f32::ln }
}"#;
    let expanded = opswitch_codegen::backend_extension(TokenStream::new(), item.parse().unwrap());
    let file = syn::parse2(expanded).unwrap();
    assert_snapshot("implementation", &format!("#[backend_extension]{item}"), &prettyplease::unparse(&file));
}

mod formulas {
    use super::assert_op;

    #[test]
    fn of_a_plain_input() {
        assert_op(
            "op_plain",
            r"
    #[backward {
        x => B::float_mul_scalar(grad, factor);
    }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
",
        );
    }

    /// Each input's tensor is saved for the other's formula.
    #[test]
    fn that_read_each_others_inputs() {
        assert_op(
            "op_two_inputs",
            r"
    #[backward {
        lhs => B::float_sum_to(B::float_mul(grad, rhs), lhs.shape());
        rhs => B::float_sum_to(B::float_mul(grad, lhs), rhs.shape());
    }]
    fn mul(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;
",
        );
    }

    #[test]
    fn of_an_option() {
        assert_op(
            "op_option",
            r"
    #[backward {
        x => grad;
        bias => B::float_sum_to(grad, bias.shape());
    }]
    fn add(x: FloatTensor<Self>, bias: Option<FloatTensor<Self>>) -> FloatTensor<Self>;
",
        );
    }

    #[test]
    fn of_a_list() {
        assert_op(
            "op_list",
            r"
    #[backward {
        tensors => split::<B>(grad, &tensors.shapes(), dim);
    }]
    fn cat(tensors: Vec<FloatTensor<Self>>, dim: usize) -> FloatTensor<Self>;
",
        );
    }

    #[test]
    fn with_shared_statements() {
        assert_op(
            "op_shared_statements",
            r"
    #[backward {
        let masked = B::relu_backward(output, grad);
        lhs => B::float_matmul(masked.clone(), B::float_transpose(rhs));
        rhs => B::float_matmul(B::float_transpose(lhs), masked);
    }]
    fn matmul_relu(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;
",
        );
    }

    #[test]
    fn of_several_outputs() {
        assert_op(
            "op_several_outputs",
            r"
    #[backward {
        x => B::float_sub(grads.0, B::float_mul(grads.1, output.1));
    }]
    fn moments(x: FloatTensor<Self>, dim: usize) -> (FloatTensor<Self>, FloatTensor<Self>);
",
        );
    }

    #[test]
    fn beside_an_input_that_is_not_differentiable() {
        assert_op(
            "op_none_for_one_input",
            r"
    #[backward {
        x => grad;
        weights => none;
    }]
    fn pick(x: FloatTensor<Self>, weights: FloatTensor<Self>, indices: &IntTensor<Self>) -> FloatTensor<Self>;
",
        );
    }

    #[test]
    fn of_a_memory_bound_op() {
        assert_op(
            "op_memory_bound",
            r"
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, output);
    }]
    fn exp(x: FloatTensor<Self>, base: &Shape) -> FloatTensor<Self>;
",
        );
    }

    #[test]
    fn left_out() {
        assert_op(
            "op_none",
            r"
    #[backward(none)]
    fn argmax(x: FloatTensor<Self>, dim: usize) -> IntTensor<Self>;
",
        );
    }

    #[test]
    fn from_the_body() {
        assert_op(
            "op_default",
            r"
    #[backward(default)]
    fn mean(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let count = x.shape().num_elements() as f64;
        Self::float_div_scalar(Self::float_sum(x), count)
    }
",
        );
    }

    #[test]
    fn of_functions_that_are_not_simple() {
        assert_op(
            "op_functions",
            r"
    #[backward {
        x => B::float_reshape(grad, x.shape());
    }]
    async fn gather<const D: usize>(x: FloatTensor<Self>, axes: &[usize; D]) -> Result<FloatTensor<Self>, GatherError>;

    #[backward {
        x => grad;
    }]
    unsafe fn unchecked(x: &FloatTensor<Self>) -> FloatTensor<Self>;
",
        );
    }
}

mod derive {
    use super::assert_expansion;

    #[test]
    fn on_a_struct() {
        assert_expansion(
            "derive_struct",
            "Camera",
            r"
#[derive(ExtensionType)]
pub struct Camera<B: Backend, T = f32>
where
    T: Clone,
{
    pub position: FloatTensor<B>,
    pub lenses: Vec<Lens<B>>,
    pub width: u32,
    pub tag: T,
    pub marker: PhantomData<fn() -> B>,
}
",
        );
    }

    #[test]
    fn on_a_type_without_tensors() {
        assert_expansion(
            "derive_plain",
            "Padding",
            r"
#[derive(Clone, ExtensionType)]
#[extension(plain)]
pub enum Padding<T: Copy> {
    Same,
    Constant(T),
}
",
        );
    }

    #[test]
    fn on_an_enum() {
        assert_expansion(
            "derive_enum",
            "Mask",
            r"
#[derive(ExtensionType)]
#[extension(crate = renamed, backend = Back)]
pub enum Mask<'a, Back: Backend, const D: usize> {
    Causal,
    Dense(BoolTensor<Back>, &'a str),
    Sparse { indices: [IntTensor<Back>; D], shape: Shape },
}
",
        );
    }
}

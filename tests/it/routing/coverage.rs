//! The table of a dispatch's ops, against rows that are written out.

use opswitch::{
    Autodiff, AutodiffOps, Backend, DispatchBackend as _, FloatTensor, OpGradient, OpSource, OpTable,
    PlainBackend, backend_extension, extend_dispatch, ops::FloatOps,
};
use opswitch_cpu::{Cpu, CpuTensor};
use opswitch_tests::{Npu, NpuTensor, PlainDispatch, TestDispatch};

/// Both backends, and no ops but those of this file.
#[backend_extension(Cpu, Npu, Off = absent::Backend: cfg(any()), Autodiff, families = none)]
struct Covered;

extend_dispatch!(Covered: AutodiffOps, opswitch::ops::BoolOps, opswitch::ops::IntOps, FloatOps);

/// One op for each way to have a gradient.
#[backend_extension(dispatch = Covered)]
pub trait GradientOps: FloatOps {
    #[backward { x => grad; index => none; r#else => grad; }]
    fn formulas(
        x: FloatTensor<Self>,
        index: FloatTensor<Self>,
        r#else: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let _ = index;
        Self::float_add(x, r#else)
    }

    #[backward(none)]
    fn r#final(x: FloatTensor<Self>) -> FloatTensor<Self>;

    #[backward(default)]
    fn composed(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_neg(x)
    }

    #[cfg(any())]
    #[backward { x => grad; }]
    fn absent(x: FloatTensor<Self>) -> FloatTensor<Self>;

    #[cfg(not(any()))]
    #[backward { x => grad; }]
    fn present(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    /// In the way of nobody: the table is asked for through a trait too.
    #[backward { x => none; }]
    fn ops(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

#[backend_extension]
impl GradientOps for Cpu {
    fn r#final(x: CpuTensor) -> CpuTensor {
        x
    }

    #[cfg(any())]
    fn absent(x: CpuTensor) -> CpuTensor {
        x
    }

    #[cfg(not(any()))]
    fn present(x: CpuTensor) -> CpuTensor {
        x
    }

    #[cfg(any())]
    fn composed(x: CpuTensor) -> CpuTensor {
        x
    }

    fn formulas(x: CpuTensor, _: CpuTensor, _: CpuTensor) -> CpuTensor {
        x
    }
}

// Without the mark.
impl GradientOps for Npu {
    fn r#final(x: NpuTensor) -> NpuTensor {
        x
    }
}

/// Nothing is said of gradients.
#[backend_extension]
pub trait HandWrittenOps: FloatOps {
    fn by_hand(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

#[backend_extension]
impl HandWrittenOps for Cpu {}
#[backend_extension]
impl HandWrittenOps for Npu {}
impl<B: PlainBackend> HandWrittenOps for Autodiff<B> {}

/// Another module extends the dispatch, with a trait under another name.
mod extension {
    use super::{Covered, HandWrittenOps as Renamed, backend_extension, extend_dispatch};
    use super::{Cpu, FloatOps, FloatTensor, Npu};

    extend_dispatch!(Covered: Renamed, Lists);

    /// What its implementations have may differ between its parameters.
    #[backend_extension]
    #[backward(none)]
    pub trait Lists<T, const N: usize>: FloatOps {
        fn required(x: FloatTensor<Self>, list: [T; N]) -> FloatTensor<Self>;

        fn provided(x: FloatTensor<Self>, list: [T; N]) -> FloatTensor<Self> {
            Self::required(x, list)
        }
    }

    macro_rules! marked {
        ($($backend:ident),*) => {$(
            #[backend_extension]
            impl<T, const N: usize> Lists<T, N> for $backend {
                fn required(x: FloatTensor<Self>, _: [T; N]) -> FloatTensor<Self> {
                    x
                }
            }
        )*};
    }

    marked!(Cpu, Npu);
}

/// The rows of the traits of this file, as text.
fn rows() -> Vec<String> {
    let here = module_path!();
    let table = OpTable::of::<Covered>();
    let own = table.rows().iter().filter(|row| row.trait_path.starts_with(here));
    own.map(|row| {
        let sources = row.sources.iter().map(|(backend, source)| format!("{backend}: {source}"));
        let path = row.trait_path.strip_prefix(here).expect("a trait of this file");
        format!("{path}::{} | {} | {}", row.name, row.gradient, sources.collect::<Vec<_>>().join(" | "))
    })
    .collect()
}

#[test]
fn every_op_with_its_gradient_and_its_kernels() {
    assert_eq!(
        rows(),
        [
            "::GradientOps::formulas | formula: x, else; none: index | cpu: kernel | npu: kernel or default body",
            "::GradientOps::final | none | cpu: kernel | npu: kernel",
            "::GradientOps::composed | default body | cpu: default body | npu: kernel or default body",
            "::GradientOps::present | formula: x | cpu: kernel | npu: kernel or default body",
            "::GradientOps::ops | none: x | cpu: default body | npu: kernel or default body",
            "::HandWrittenOps::by_hand | hand-written | cpu: default body | npu: default body",
            "::extension::Lists::required | none | cpu: kernel | npu: kernel",
            "::extension::Lists::provided | none | cpu: kernel or default body | npu: kernel or default body",
        ]
    );
}

/// The values behind the text.
#[test]
fn rows_are_data() {
    let table = OpTable::of::<Covered>();
    assert_eq!(table.backends(), ["cpu", "npu"]);
    let row = table.row("GradientOps::formulas").expect("it is routed");
    assert_eq!((row.name, row.op()), ("formulas", "GradientOps::formulas".to_owned()));
    assert_eq!(row.trait_path, concat!(module_path!(), "::GradientOps"));
    assert_eq!(row.gradient, OpGradient::Formula { inputs: &["x", "else"], none: &["index"] });
    assert_eq!(row.source("npu"), Some(OpSource::KernelOrDefaultBody));
    assert_eq!(row.source("tpu"), None);
    assert_eq!(table.row("GradientOps::absent"), None);
}

/// The built-in families are rows as those of any trait; another dispatch has its own.
#[test]
fn each_dispatch_has_its_own() {
    let source = |table: &OpTable, op, backend| table.row(op).and_then(|row| row.source(backend));
    let table = TestDispatch::ops();
    assert_eq!(table.row("GradientOps::formulas"), None);
    assert_eq!(source(&table, "FloatOps::float_matmul", "cpu"), Some(OpSource::Kernel));
    assert_eq!(source(&table, "FloatOps::float_matmul", "npu"), Some(OpSource::Kernel));
    assert_eq!(source(&table, "NnOps::cross_entropy", "npu"), Some(OpSource::DefaultBody));
    assert_eq!(source(&table, "CollectiveOps::all_reduce", "cpu"), Some(OpSource::DefaultBody));
    assert_eq!(source(&table, "CollectiveOps::all_reduce", "npu"), Some(OpSource::Kernel));
    assert_eq!(source(&table, "AutodiffOps::detach", "cpu"), Some(OpSource::DefaultBody));
    assert_eq!(PlainDispatch::ops().backends(), ["cpu"]);
    let built_in = |table: &OpTable| {
        let rows = table.rows().iter().filter(|row| row.trait_path.starts_with("opswitch_core::"));
        rows.map(|row| (row.op(), row.gradient)).collect::<Vec<_>>()
    };
    assert_eq!(built_in(&PlainDispatch::ops()), built_in(&table));
    let mut families: Vec<String> = built_in(&table)
        .into_iter()
        .map(|(op, _)| op.split_once("::").expect("a trait and an op").0.to_owned())
        .collect();
    families.dedup();
    assert_eq!(families, ["AutodiffOps", "BoolOps", "CollectiveOps", "FloatOps", "IntOps", "NnOps"]);
}

#[backend_extension(Npu, Cpu, families = none)]
struct Small;

#[backend_extension(dispatch = Small)]
#[backward(none)]
trait SmallOps: Backend {
    fn one(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    #[backward { x => grad; scale => none; }]
    fn another_one(x: FloatTensor<Self>, scale: FloatTensor<Self>) -> FloatTensor<Self>;
}

/// What a macro writes inside an implementation counts by its name.
macro_rules! identity {
    ($($op:ident($($argument:ident),*);)*) => {$(
        fn $op(x: FloatTensor<Self> $(, $argument: FloatTensor<Self>)*) -> FloatTensor<Self> {
            $(drop($argument);)*
            x
        }
    )*};
}

#[backend_extension]
impl SmallOps for Cpu {
    identity! {
        another_one(scale);
        one();
    }
}

#[backend_extension]
impl SmallOps for Npu {
    identity! {
        another_one(scale);
    }
}

#[test]
fn the_text_is_aligned() {
    let expected = "\
op                     gradient                 npu           cpu
SmallOps::one          none                     default body  kernel
SmallOps::another_one  formula: x; none: scale  kernel        kernel
";
    assert_eq!(Small::ops().to_string(), expected);
}

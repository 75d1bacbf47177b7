//! What was written, as our own types. The user's tokens stay beside them for spans.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{
    Attribute, Block, Expr, Generics, ItemImpl, ItemStruct, ItemTrait, Meta, Path, Signature, Stmt, Type,
    Visibility,
};

/// An item with `#[backend_extension]`.
pub(crate) enum Extension {
    Dispatch(Box<Dispatch>),
    Ops(Box<Ops>),
    Implementation(Box<Implementation>),
}

/// A unit struct that lists backends.
pub(crate) struct Dispatch {
    pub(crate) item: ItemStruct,
    pub(crate) backends: Vec<Backend>,
    pub(crate) autodiff: Option<AutodiffEntry>,
    pub(crate) krate: Path,
    /// Whether the built-in op families are routed too.
    pub(crate) families: bool,
}

/// A backend in the list of a dispatch.
pub(crate) struct Backend {
    pub(crate) name: Ident,
    pub(crate) path: Path,
    pub(crate) cfg: Option<Meta>,
}

/// The entry `Autodiff` in the list of a dispatch.
pub(crate) struct AutodiffEntry {
    pub(crate) cfg: Option<Meta>,
}

/// A trait of ops.
pub(crate) struct Ops {
    /// The trait as the user wrote it, without our helper attributes.
    pub(crate) item: ItemTrait,
    /// What a dispatch implements: an op with arguments that depend on a `cfg` is one method for each form.
    pub(crate) methods: Vec<Method>,
    pub(crate) types: Vec<AssocType>,
    pub(crate) target: Target,
    pub(crate) krate: Path,
    /// `backends = any`: the bodies of the ops are their kernels, on every plain backend.
    pub(crate) any_backend: bool,
    /// `#[backward(none)]` on the trait: what methods without the attribute are.
    pub(crate) default_none: bool,
    /// Whether the trait gets a message of its own for backends without it.
    pub(crate) diagnostic: bool,
}

/// Where the ops of a trait are routed.
pub(crate) enum Target {
    /// Nowhere yet: a later `extend_dispatch!` names a dispatch.
    Schema,
    /// An existing dispatch.
    Existing(Path),
    /// A dispatch that this attribute declares.
    Declared(Box<Dispatch>),
}

/// An associated type of a trait of ops.
pub(crate) struct AssocType {
    pub(crate) name: Ident,
    /// What it is on every backend, with `backends = any`.
    pub(crate) default: Option<Type>,
    /// What it is bounded by, as far as that is derived.
    pub(crate) derives: Vec<Path>,
}

/// What a backend has of a trait of ops.
pub(crate) struct Implementation {
    pub(crate) item: ItemImpl,
    /// Where an error about the trait stands.
    pub(crate) place: Span,
}

/// One op.
pub(crate) struct Method {
    pub(crate) sig: Signature,
    /// The attributes that every emitted item repeats.
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) args: Vec<Arg>,
    pub(crate) output: Output,
    pub(crate) default: Option<Block>,
    pub(crate) backward: Option<Backward>,
    pub(crate) memory_bound: Option<Ident>,
    /// Whether this is the op without some of its arguments, and so checked already.
    pub(crate) partial: bool,
}

/// An argument of an op.
pub(crate) struct Arg {
    /// The name by which generated code calls it.
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// Whether the type mentions `Self`, and so is routed.
    pub(crate) routed: bool,
}

/// What an op returns.
pub(crate) struct Output {
    /// The type, without the future around it.
    pub(crate) ty: TokenStream,
    /// Whether the type mentions `Self`, and so is routed.
    pub(crate) routed: bool,
    pub(crate) asynchrony: Asynchrony,
}

impl Output {
    /// Where the type stands.
    pub(crate) fn span(&self) -> Span {
        self.ty.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }
}

/// Whether the result has to be waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asynchrony {
    Sync,
    /// `async fn`.
    AsyncFn,
    /// `-> impl Future<Output = T>`.
    ReturnsFuture,
}

/// `#[backward ..]`.
pub(crate) enum Backward {
    /// `#[backward(none)]`: not differentiable.
    None,
    /// `#[backward(default)]`: through the ops that the default body calls.
    Default(Box<Attribute>),
    /// `#[backward { .. }]`.
    Formulas(Formulas),
}

/// The formulas of an op.
pub(crate) struct Formulas {
    pub(crate) shared: Vec<Stmt>,
    pub(crate) entries: Vec<Formula>,
}

/// `input => formula;`
pub(crate) struct Formula {
    pub(crate) input: Ident,
    /// `None` for `=> none`.
    pub(crate) expr: Option<Expr>,
}

/// `extend_dispatch!(Dispatch: a::AOps, b::BOps)`.
pub(crate) struct ExtendRequest {
    pub(crate) krate: Path,
    pub(crate) dispatch: Path,
    pub(crate) traits: Vec<Path>,
}

/// A dispatch of which the `cfg`s are resolved.
pub(crate) struct Declared {
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) schema: DispatchSchema,
}

/// What a dispatch tells of itself to the traits that are routed through it.
pub(crate) struct DispatchSchema {
    /// Position in the list, and name.
    pub(crate) backends: Vec<(usize, Ident)>,
    pub(crate) autodiff: bool,
}

/// A dispatch and a trait that have met.
pub(crate) struct Route {
    pub(crate) krate: Path,
    pub(crate) dispatch: Path,
    pub(crate) schema: DispatchSchema,
    pub(crate) trait_: Path,
    pub(crate) trait_generics: Generics,
    pub(crate) trait_name: Ident,
    pub(crate) trait_vis: Visibility,
    pub(crate) methods: Vec<Method>,
    pub(crate) types: Vec<AssocType>,
}

/// A type with `#[derive(ExtensionType)]`.
pub(crate) enum Derived {
    Tensors(ExtensionType),
    Plain(PlainType),
}

/// A struct or enum of tensors.
pub(crate) struct ExtensionType {
    pub(crate) krate: Path,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// The type parameter that is the backend.
    pub(crate) backend: Ident,
    /// A struct is one variant without a name.
    pub(crate) variants: Vec<Variant>,
}

/// A type with `#[extension(plain)]`: it holds no tensors, and passes as it is.
pub(crate) struct PlainType {
    pub(crate) krate: Path,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
}

/// The fields of a struct or of a variant of an enum.
pub(crate) struct Variant {
    pub(crate) name: Option<Ident>,
    pub(crate) fields: Vec<Field>,
}

/// A field.
pub(crate) struct Field {
    /// The name, or the position.
    pub(crate) member: syn::Member,
    pub(crate) ty: Type,
    /// Whether the type mentions the backend, and so is routed.
    pub(crate) routed: bool,
}

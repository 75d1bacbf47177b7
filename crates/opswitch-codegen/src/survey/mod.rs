//! What a source file says of ops, without a compiler run: which there are, how their gradients are found, where they are
//! routed, and who implements them.
//!
//! A name is a path as it is written, such as `["flash", "FlashOps"]`; what it means is for a caller to find out, from
//! [`Survey::imports`] and the other files.

mod implementations;
mod imports;

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{File, Item, ItemMacro, Meta, Path, spanned::Spanned};

pub use self::implementations::{Implementation, Implementor, MacroCall, MacroDefinition};
use crate::{
    annotated::{Annotated, Mistake, Role},
    model::{Backward, Dispatch as DispatchModel, Extension, Method, Ops, Target},
    parse, tokens,
};

/// A path as it is written, without generics.
pub type Name = Vec<String>;

/// What a source file says of ops.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Survey {
    /// The traits of ops.
    pub traits: Vec<OpTrait>,
    /// The dispatches, those of the short form on a trait included.
    pub dispatches: Vec<Dispatch>,
    /// What `extend_dispatch!` adds.
    pub routes: Vec<Route>,
    /// Every `impl` of a trait.
    pub implementations: Vec<Implementation>,
    /// The calls of macros that stand for items. What they expand to is not seen.
    pub macro_calls: Vec<MacroCall>,
    /// The macros that the file defines.
    pub macro_definitions: Vec<MacroDefinition>,
    /// What the names of the file stand for, where `use` or `type` give them.
    pub imports: BTreeMap<String, Name>,
}

/// A trait with `#[backend_extension]`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpTrait {
    /// Its name.
    pub name: String,
    /// The line of its name, from 1.
    pub line: usize,
    /// Its ops, in order.
    pub ops: Vec<Op>,
    /// The dispatch that the attribute names or declares.
    pub dispatch: Option<Name>,
    /// Whether it is implemented for every backend, with its bodies as kernels: `backends = any`.
    pub any_backend: bool,
}

/// An op.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Op {
    /// Its name.
    pub name: String,
    /// The `cfg` that it is under.
    pub condition: Option<String>,
    /// Whether the trait has a body for it.
    pub default_body: bool,
    /// How its gradient is found.
    pub gradient: Gradient,
}

/// How the gradient of an op is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// `#[backward { .. }]`: by formulas.
    Formula(Vec<Input>),
    /// `#[backward(none)]`: there is none.
    None,
    /// `#[backward(default)]`: through the ops that the default body calls.
    DefaultBody,
    /// The trait has no such attribute, so that `impl MyOps for Autodiff<B>` is written by hand.
    HandWritten,
}

/// An input that `#[backward { .. }]` speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The argument.
    pub name: String,
    /// Whether it has a formula; else it is `=> none`.
    pub differentiable: bool,
}

/// A dispatch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dispatch {
    /// Its name.
    pub name: String,
    /// The line of its name, from 1.
    pub line: usize,
    /// Its backends, in order.
    pub backends: Vec<Backend>,
    /// Whether the list has `Autodiff`.
    pub autodiff: bool,
    /// Whether the built-in op families are routed too.
    pub families: bool,
}

/// A backend in the list of a dispatch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Backend {
    /// The name in the list.
    pub name: String,
    /// The type.
    pub path: Name,
    /// The `cfg` that it is under.
    pub condition: Option<String>,
}

/// One trait of an `extend_dispatch!`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Route {
    /// The dispatch.
    pub dispatch: Name,
    /// The trait of ops.
    pub trait_: Name,
}

/// Reads what a source file says of ops.
///
/// # Errors
///
/// If one of our macros is used wrongly: everything that is wrong.
///
/// ```
/// use opswitch_codegen::{parse_source, survey::{Gradient, survey}};
///
/// let file = parse_source(
///     "#[backend_extension]
///     #[backward(none)]
///     pub trait SortOps: CoreOps {
///         fn sort(x: FloatTensor<Self>) -> FloatTensor<Self>;
///     }",
/// )
/// .unwrap();
/// let op = &survey(&file).unwrap().traits[0].ops[0];
/// assert_eq!((&*op.name, op.default_body, &op.gradient), ("sort", false, &Gradient::None));
/// ```
pub fn survey(file: &File) -> Result<Survey, Vec<Mistake>> {
    let mut survey = Survey::default();
    let mut mistakes = Vec::new();
    survey.items(&file.items, &mut mistakes);
    if mistakes.is_empty() { Ok(survey) } else { Err(mistakes) }
}

impl Survey {
    fn items(&mut self, items: &[Item], mistakes: &mut Vec<Mistake>) {
        for item in items {
            if let Err(wrong) = self.item(item, mistakes) {
                mistakes.extend(wrong);
            }
        }
    }

    fn item(&mut self, item: &Item, mistakes: &mut Vec<Mistake>) -> Result<(), Vec<Mistake>> {
        match item {
            Item::Mod(module) => {
                let inside = module.content.as_ref().map_or(&[][..], |(_, items)| items);
                self.items(inside, mistakes);
            }
            Item::Impl(item) => self.implementations.extend(Implementation::of(item)),
            Item::Use(item) => imports::of_use(item, &mut self.imports),
            Item::Type(item) => imports::of_type(item, &mut self.imports),
            Item::Macro(item) => self.macro_(item, mistakes)?,
            item => {
                for annotated in Annotated::of(item) {
                    self.annotated(&annotated)?;
                }
            }
        }
        Ok(())
    }

    fn annotated(&mut self, item: &Annotated) -> Result<(), Vec<Mistake>> {
        let Role::Extension(options) = &item.role else { return Ok(()) };
        match item.extension(options)? {
            Some(Extension::Dispatch(dispatch)) => self.dispatches.push(Dispatch::of(&dispatch)),
            Some(Extension::Ops(ops)) => {
                if let Target::Declared(dispatch) = &ops.target {
                    self.dispatches.push(Dispatch::of(dispatch));
                }
                self.traits.push(OpTrait::of(&ops));
            }
            Some(Extension::Implementation(_)) | None => {}
        }
        Ok(())
    }

    fn macro_(&mut self, item: &ItemMacro, mistakes: &mut Vec<Mistake>) -> Result<(), Vec<Mistake>> {
        if item.mac.path.segments.last().is_some_and(|last| last.ident == "extend_dispatch") {
            let request = parse::extend_dispatch(item.mac.tokens.clone())
                .map_err(|error| Mistake::list(error, item.span().start()))?;
            let dispatch = name(&request.dispatch);
            let traits = request.traits.iter().map(name);
            self.routes.extend(traits.map(|trait_| Route { dispatch: dispatch.clone(), trait_ }));
        } else if let Some(definition) = MacroDefinition::of(item) {
            self.macro_definitions.push(definition);
        } else {
            self.macro_calls.push(MacroCall::of(&item.mac));
            // A macro around items, such as one that puts them all under a condition.
            if let Ok(inside) = syn::parse2::<File>(item.mac.tokens.clone()) {
                self.items(&inside.items, mistakes);
            }
        }
        Ok(())
    }
}

impl OpTrait {
    fn of(ops: &Ops) -> Self {
        let dispatch = match &ops.target {
            Target::Schema => None,
            Target::Existing(path) => Some(name(path)),
            Target::Declared(dispatch) => Some(vec![dispatch.item.ident.to_string()]),
        };
        Self {
            name: ops.item.ident.to_string(),
            line: ops.item.ident.span().start().line,
            ops: ops
                .methods
                .iter()
                .filter(|method| !method.partial)
                .map(|method| Op::of(ops, method))
                .collect(),
            dispatch,
            any_backend: ops.any_backend,
        }
    }
}

impl Op {
    fn of(ops: &Ops, method: &Method) -> Self {
        Self {
            name: method.sig.ident.to_string(),
            condition: tokens::condition(&method.attrs).as_ref().map(condition_text),
            default_body: method.default.is_some(),
            gradient: Gradient::of(ops, method),
        }
    }
}

impl Gradient {
    fn of(ops: &Ops, method: &Method) -> Self {
        match &method.backward {
            Some(Backward::Formulas(formulas)) => {
                let inputs = formulas.entries.iter().map(|formula| Input {
                    name: formula.input.to_string(),
                    differentiable: formula.expr.is_some(),
                });
                Self::Formula(inputs.collect())
            }
            Some(Backward::Default(_)) => Self::DefaultBody,
            None if !ops.has_gradients() => Self::HandWritten,
            Some(Backward::None) | None => Self::None,
        }
    }
}

impl Dispatch {
    fn of(dispatch: &DispatchModel) -> Self {
        let backends = dispatch.backends.iter().map(|backend| Backend {
            name: backend.name.to_string(),
            path: name(&backend.path),
            condition: backend.cfg.as_ref().map(condition_text),
        });
        Self {
            name: dispatch.item.ident.to_string(),
            line: dispatch.item.ident.span().start().line,
            backends: backends.collect(),
            autodiff: dispatch.autodiff.is_some(),
            families: dispatch.families,
        }
    }
}

fn name(path: &Path) -> Name {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// The text of a condition as people write it: `all(unix, feature = "npu")`.
fn condition_text(condition: &Meta) -> String {
    condition
        .to_token_stream()
        .to_string()
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",")
}

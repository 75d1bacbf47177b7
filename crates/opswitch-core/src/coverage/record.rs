//! What generated code says of traits, and of their meeting with a dispatch.

use std::any::TypeId;

use super::{OpGradient, OpRow, OpSource};
use crate::routing::DispatchBackend;

/// What an implementation has of its own; `None` if it does not say.
type OwnOps = Option<&'static [&'static str]>;

/// A backend's name, and what its implementation has.
pub type BackendEntry = (&'static str, OwnOps);

/// What a trait of ops says of itself, once, beside its declaration.
pub struct OpTrait {
    /// The trait, with the module that declares it.
    pub path: &'static str,
    /// Its ops, as they are declared.
    pub ops: &'static [Op],
}

/// An op, whatever the backend.
pub struct Op {
    name: &'static str,
    has_body: bool,
    gradient: OpGradient,
}

impl Op {
    /// An op that every backend has a kernel for.
    pub const fn new(name: &'static str, gradient: OpGradient) -> Self {
        Self { name, has_body: false, gradient }
    }

    /// An op with a default body.
    pub const fn with_body(name: &'static str, gradient: OpGradient) -> Self {
        Self { name, has_body: true, gradient }
    }

    /// The name of the function.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    fn source(&self, own: OwnOps) -> OpSource {
        match own {
            _ if !self.has_body => OpSource::Kernel,
            None => OpSource::KernelOrDefaultBody,
            Some(own) if own.contains(&self.name) => OpSource::Kernel,
            Some(_) => OpSource::DefaultBody,
        }
    }
}

/// The gradient of an op with formulas: the inputs that have one, and those that are `=> none`.
pub const fn formula(inputs: &'static [&'static str], none: &'static [&'static str]) -> OpGradient {
    OpGradient::Formula { inputs, none }
}

/// A trait that is routed through a dispatch.
pub struct RoutedTrait {
    pub(super) dispatch: TypeId,
    trait_: &'static OpTrait,
    /// The backends of the dispatch, and what their implementations have.
    pub(super) backends: &'static [BackendEntry],
}

inventory::collect!(RoutedTrait);

impl RoutedTrait {
    /// The record of a trait on dispatch `D`.
    pub const fn new<D: DispatchBackend>(
        trait_: &'static OpTrait,
        backends: &'static [BackendEntry],
    ) -> Self {
        Self { dispatch: TypeId::of::<D>(), trait_, backends }
    }

    /// What records are ordered by. Traits inside functions may share a path.
    pub(super) fn key(&self) -> (&'static str, Option<&'static str>) {
        (self.trait_.path, self.trait_.ops.first().map(|op| op.name))
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = OpRow> {
        self.trait_.ops.iter().map(|op| OpRow {
            trait_path: self.trait_.path,
            name: op.name,
            gradient: op.gradient,
            sources: self.backends.iter().map(|(name, own)| (*name, op.source(*own))).collect(),
        })
    }
}

/// The entry of a type that lacks the trait. That is an error, which is reported once, where the ops are routed: a constant
/// of the type itself, bounded by the trait, hides this one.
pub trait NoEntry {
    /// Nothing.
    const OF: BackendEntry = ("", None);
}

impl<T> NoEntry for T {}

/// Leaves a record in the program that says of a trait what it has on a dispatch.
///
/// What implementations of a generic trait have may differ between its parameters, so nothing is said of it there.
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($dispatch:path, $trait_:path, [$($backend:ident),*]) => {
        $crate::__register! {
            $dispatch, $trait_, [$($backend),*], $trait_, <__B as $trait_>::__BACKEND_EXTENSION_OPS
        }
    };
    ($dispatch:path, $trait_:path, [$($backend:ident),*], generic) => {
        $crate::__register! {
            $dispatch, $trait_, [$($backend),*], $crate::Backend, ::core::option::Option::None
        }
    };
    ($dispatch:path, $trait_:path, [$($backend:ident),*], $bound:path, $own:expr) => {
        const _: () = {
            #[allow(unused_imports)]
            use $crate::__private::NoEntry as _;

            #[allow(dead_code)]
            struct Entry<__B>(__B);

            impl<__B: $bound> Entry<__B> {
                const OF: $crate::__private::BackendEntry = (<__B as $crate::Backend>::NAME, $own);
            }

            $crate::__private::submit! {
                $crate::__private::RoutedTrait::new::<$dispatch>(&$trait_, &[$(Entry::<$backend>::OF),*])
            }
        };
    };
}

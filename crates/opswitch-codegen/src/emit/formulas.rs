//! The formulas of one op: what they read is saved, and only if the input whose formula reads it is tracked.
//!
//! ```text
//! fn __backward<__I, B>(__needs: [bool; 2], __rhs: Option<FloatTensor<B>>, __grad: FloatTensor<B>) -> (..)
//! where __I: PlainBackend, B: FusedOps + TracksGradients<__I> {
//!     let __lhs_grad = if __needs[0] {
//!         let rhs = __rt::kept(__rhs);
//!         let __gradient: __rt::Gradient<FloatTensor<B>> = B::float_mul(__grad, rhs);
//!         __rt::Option::Some(__gradient)
//!     } else { __rt::Option::None };
//!     (__lhs_grad, ..)
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, GenericParam, Index, ext::IdentExt};

use super::{
    autodiff::{borrowed, inner_call, inner_call_with, pass, routed, watch},
    hidden, impl_params, is_reference, op_name, owned, type_and_const_args,
};
use crate::{
    model::{Arg, Formulas, Method, Ops},
    tokens::{Uses, rename, rename_metadata, uses},
};

/// What the formulas of an op read, and of whom.
struct Plan<'a> {
    ops: &'a Ops,
    method: &'a Method,
    formulas: &'a Formulas,
    /// The formulas without `=> none`, with their position among all.
    differentiable: Vec<(usize, &'a Ident, &'a Expr)>,
    reads: Vec<Read<'a>>,
    output: Readers,
    grad: Readers,
    grads: Readers,
}

/// An argument that a formula reads.
struct Read<'a> {
    arg: &'a Arg,
    value: Readers,
    metadata: Readers,
}

/// Who reads a value.
#[derive(Default)]
struct Readers {
    shared: bool,
    /// Positions in [`Plan::differentiable`].
    formulas: Vec<usize>,
}

impl Readers {
    fn any(&self) -> bool {
        self.shared || !self.formulas.is_empty()
    }
}

/// The body of the autodiff implementation of the op.
pub(super) fn body(ops: &Ops, method: &Method, formulas: &Formulas) -> TokenStream {
    let plan = Plan::new(ops, method, formulas);
    let op = op_name(&ops.item.ident, method);
    let backward = plan.backward_fn();
    let watches = formulas.entries.iter().map(|formula| watch(plan.arg(&formula.input)));
    let passes = routed(method)
        .filter(|arg| formulas.entries.iter().all(|formula| formula.input != arg.name))
        .map(pass);
    let (saves, saved) = plan.saves();
    let again = plan.again();
    let output = &method.output.ty;
    let call = inner_call(ops, method);
    let record = plan.record();
    quote! {
        #backward

        let mut __tape = __rt::Tape::<__B>::new(#op);
        let __needs = [#(#watches),*];
        #(#passes)*
        let __saved = __tape.is_tracked().then(|| (#(#saves,)*));
        #again
        let mut __output: #output = __tape.lift(#call);
        if let __rt::Option::Some((#(#saved,)*)) = __saved {
            #record
        }
        __output
    }
}

impl<'a> Plan<'a> {
    fn new(ops: &'a Ops, method: &'a Method, formulas: &'a Formulas) -> Self {
        let entries = formulas.entries.iter().enumerate();
        let differentiable: Vec<_> = entries
            .filter_map(|(position, formula)| Some((position, &formula.input, formula.expr.as_ref()?)))
            .collect();
        let shared = &formulas.shared;
        let readers = |name: &Ident, wanted: fn(Uses) -> bool| Readers {
            shared: wanted(uses(&quote!(#(#shared)*), name)),
            formulas: differentiable
                .iter()
                .enumerate()
                .filter(|(_, (_, _, expr))| wanted(uses(expr, name)))
                .map(|(position, _)| position)
                .collect(),
        };
        let anything = |name: &Ident| readers(name, |uses| uses.value || uses.metadata);
        let reads = method.args.iter().map(|arg| {
            let name = &arg.name;
            if arg.routed {
                let (value, metadata) =
                    (readers(name, |uses| uses.value), readers(name, |uses| uses.metadata));
                Read { arg, value, metadata }
            } else {
                Read { arg, value: anything(name), metadata: Readers::default() }
            }
        });
        let reads = reads.filter(|read| read.value.any() || read.metadata.any()).collect();
        let [output, grad, grads] =
            ["output", "grad", "grads"].map(|name| anything(&format_ident!("{name}")));
        Self { ops, method, formulas, differentiable, reads, output, grad, grads }
    }

    fn arg(&self, name: &Ident) -> &'a Arg {
        self.method.args.iter().find(|arg| arg.name == *name).expect("the checks found every input")
    }

    /// Whether one of the readers will run, in terms of `__needs`.
    fn needed(&self, readers: &Readers) -> TokenStream {
        if readers.shared {
            return quote!(true);
        }
        let needs = readers.formulas.iter().map(|&reader| {
            let position = self.differentiable[reader].0;
            let position = Index::from(position);
            quote!(__needs[#position])
        });
        quote!(#(#needs)||*)
    }

    /// What is saved before the arguments are used up, and the names under which it goes into the graph.
    fn saves(&self) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let edges = self.differentiable.iter().map(|(_, input, _)| {
            let arg = self.arg(input);
            let arg = if is_reference(arg) { quote!(#input) } else { quote_spanned!(input.span()=> &#input) };
            quote_spanned!(input.span()=> __tape.edges(#arg))
        });
        let mut saves = vec![quote!([#(#edges),*])];
        let mut names = vec![quote!(__edges)];
        for Read { arg, value, metadata } in &self.reads {
            let (name, borrowed) = (&arg.name, borrowed(arg));
            if !arg.routed {
                saves.push(quote!(__rt::ToOwned::to_owned(#borrowed)));
                names.push(quote!(#name));
                continue;
            }
            if value.any() {
                let (needed, hidden) = (self.needed(value), hidden("in", name));
                saves.push(quote!(__tape.save(#borrowed, #needed)));
                names.push(quote!(mut #hidden));
            }
            if metadata.any() {
                let (needed, hidden) = (self.needed(metadata), hidden("meta", name));
                saves.push(quote!(__tape.describe(#borrowed, #needed)));
                names.push(quote!(#hidden));
            }
        }
        (saves, names)
    }

    /// How a memory-bound result is computed again.
    fn again(&self) -> Option<TokenStream> {
        self.method.memory_bound.as_ref()?;
        let args = &self.method.args;
        let names: Vec<Ident> = args.iter().map(|arg| hidden("in", &arg.name)).collect();
        let keeps = args.iter().map(|arg| {
            let borrowed = borrowed(arg);
            if arg.routed {
                quote!(__arguments.keep(#borrowed))
            } else {
                quote!(__rt::ToOwned::to_owned(#borrowed))
            }
        });
        let uses = args.iter().zip(&names).map(|(arg, name)| match (arg.routed, is_reference(arg)) {
            (true, true) => quote!(&#name.lowered()?),
            (true, false) => quote!(#name.lowered()?),
            (false, true) => quote!(#name),
            (false, false) => quote!(__rt::Clone::clone(#name)),
        });
        let call = inner_call_with(self.ops, self.method, uses);
        Some(quote! {
            let __again = __tape.again(
                |__arguments| (#(#keeps,)*),
                |(#(#names,)*)| __rt::Result::Ok(#call),
            );
        })
    }

    /// Attaches the op to its output.
    fn record(&self) -> TokenStream {
        let reads_output = self.output.any() || self.grads.any();
        let again = self.method.memory_bound.is_some();
        let result = reads_output.then(|| {
            let again = if again { quote!(__again.as_ref()) } else { quote!(__rt::Option::None) };
            quote!(let __result = __tape.save_output(&__output, #again);)
        });
        let again = if again { quote!(__again) } else { quote!(__rt::Option::None) };
        let refusals = self.formulas.entries.iter().enumerate().filter(|(_, formula)| formula.expr.is_none());
        let refusals = refusals.map(|(position, formula)| {
            let text = formula.input.unraw().to_string();
            let position = Index::from(position);
            quote!(__step.refuse(#text, __needs[#position])?;)
        });
        let names: Vec<Ident> =
            self.differentiable.iter().map(|(_, input, _)| hidden("grad", input)).collect();
        let generics = self.generic_args();
        let arguments = self.backward_arguments();
        let gives = self.differentiable.iter().zip(&names).map(|((_, input, _), name)| {
            let text = input.unraw().to_string();
            quote!(__step.give(#text, #name.as_ref())?;)
        });
        let walk = (!names.is_empty()).then(|| {
            quote! {
                let (#(#names,)*) = __backward::<__B, Self #(, #generics)*>(#(#arguments),*);
                #(#gives)*
            }
        });
        quote! {
            #result
            __tape.record(&mut __output, __edges, #again, move |__step| {
                #(#refusals)*
                #walk
                __rt::Result::Ok(())
            });
        }
    }

    fn generic_args(&self) -> Vec<&'a Ident> {
        let mut args = type_and_const_args(&self.ops.item.generics);
        args.extend(type_and_const_args(&self.method.sig.generics));
        args
    }

    /// What the step gives to `__backward`, in the order of its parameters.
    fn backward_arguments(&self) -> Vec<TokenStream> {
        let mut arguments = vec![quote!(__needs)];
        for Read { arg, value, metadata } in &self.reads {
            let name = &arg.name;
            if !arg.routed {
                arguments.push(if is_reference(arg) {
                    quote!(&#name)
                } else {
                    quote!(__rt::Clone::clone(&#name))
                });
                continue;
            }
            if value.any() {
                let hidden = hidden("in", name);
                arguments.push(quote!(__step.restore(&mut #hidden)?));
            }
            if metadata.any() {
                let hidden = hidden("meta", name);
                arguments.push(quote!(__rt::Clone::clone(&#hidden)));
            }
        }
        if self.output.any() {
            arguments.push(quote!(__rt::Present::present(__step.restore_output(&__result)?)));
        }
        if self.grad.any() {
            arguments.push(quote!(__step.grad()?));
        }
        if self.grads.any() {
            arguments.push(quote!(__rt::Present::present(__step.grads(&__result)?)));
        }
        arguments
    }

    /// The formulas as a function over any backend `B` that tracks gradients.
    fn backward_fn(&self) -> Option<TokenStream> {
        if self.differentiable.is_empty() {
            return None;
        }
        let (trait_, trait_generics) = (&self.ops.item.ident, &self.ops.item.generics);
        let (_, type_generics, _) = trait_generics.split_for_impl();
        let params = impl_params(trait_generics).into_iter().chain(impl_params(&self.method.sig.generics));
        let params = params
            .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
            .map(|param| rename(&param, "Self", "B"));
        let clauses = [&trait_generics.where_clause, &self.method.sig.generics.where_clause];
        let predicates = clauses.into_iter().flatten().flat_map(|clause| &clause.predicates);
        let predicates = predicates.map(|predicate| rename(predicate, "Self", "B"));
        let count = Index::from(self.formulas.entries.len());
        let inputs = self.parameters();
        let gradients = self.differentiable.iter().map(|(_, input, _)| {
            let ty = rename(&owned(self.arg(input)), "Self", "B");
            quote!(__rt::Option<__rt::Gradient<#ty>>)
        });
        let prelude = self.bindings(None);
        let shared = self.formulas.shared.iter().map(|statement| self.over_b(statement));
        let formulas = (0..self.differentiable.len()).map(|position| self.formula(position));
        let names = self.differentiable.iter().map(|(_, input, _)| hidden("grad", input));
        Some(quote! {
            fn __backward<__I, B #(, #params)*>(__needs: [bool; #count] #(, #inputs)*) -> (#(#gradients,)*)
            where
                __I: __rt::PlainBackend,
                B: #trait_ #type_generics + __rt::TracksGradients<__I>,
                #(#predicates,)*
            {
                #(#prelude)*
                #(#shared)*
                #(#formulas)*
                (#(#names,)*)
            }
        })
    }

    fn parameters(&self) -> Vec<TokenStream> {
        let mut parameters = Vec::new();
        for Read { arg, value, metadata } in &self.reads {
            let name = &arg.name;
            if !arg.routed {
                let ty = rename(&arg.ty, "Self", "B");
                let name = if is_reference(arg) { name.clone() } else { hidden("in", name) };
                parameters.push(quote!(#name: #ty));
                continue;
            }
            let ty = rename(&owned(arg), "Self", "B");
            if value.any() {
                let hidden = hidden("in", name);
                parameters.push(quote!(#hidden: __rt::Option<#ty>));
            }
            if metadata.any() {
                let hidden = hidden("meta", name);
                parameters.push(quote!(#hidden: __rt::Option<<#ty as __rt::Describe>::Metadata>));
            }
        }
        let output = rename(&self.method.output.ty, "Self", "B");
        let present = quote!(<#output as __rt::Present>::Present);
        if self.output.any() {
            parameters.push(quote!(__output: #present));
        }
        if self.grad.any() {
            parameters.push(quote!(__grad: __rt::FloatTensor<B>));
        }
        if self.grads.any() {
            parameters.push(quote!(__grads: #present));
        }
        parameters
    }

    fn formula(&self, position: usize) -> TokenStream {
        let (needs, input, expr) = self.differentiable[position];
        let (name, needs) = (hidden("grad", input), Index::from(needs));
        let ty = rename(&owned(self.arg(input)), "Self", "B");
        let bindings = self.bindings(Some(position));
        let expr = self.over_b(expr);
        quote! {
            let #name = if __needs[#needs] {
                #(#bindings)*
                let __gradient: __rt::Gradient<#ty> = #expr;
                __rt::Option::Some(__gradient)
            } else {
                __rt::Option::None
            };
        }
    }

    /// A formula over `B`, with the metadata of inputs read from where it is kept.
    fn over_b(&self, formula: &impl ToTokens) -> TokenStream {
        let over_b = rename(formula, "Self", "B");
        let described = self.reads.iter().filter(|read| read.metadata.any()).map(|read| &read.arg.name);
        described.fold(over_b, |tokens, name| rename_metadata(&tokens, name, &hidden("meta", name)))
    }

    /// A handle of its own for everything that one reader reads: a formula, or the shared statements (`None`). The last
    /// reader takes the handle itself, so that a kernel can reuse the buffer.
    fn bindings(&self, reader: Option<usize>) -> Vec<TokenStream> {
        let mut bindings = Vec::new();
        for Read { arg, value, metadata } in &self.reads {
            let name = &arg.name;
            if !arg.routed {
                if !is_reference(arg) {
                    let hidden = hidden("in", name);
                    bindings
                        .extend(handle(value, reader, &hidden).map(|handle| quote!(let #name = #handle;)));
                }
                continue;
            }
            let is_own = reader.is_some_and(|position| self.differentiable[position].1 == name);
            let meta = hidden("meta", name);
            for (readers, from, to) in [(value, hidden("in", name), name), (metadata, meta.clone(), &meta)] {
                let Some(handle) = handle(readers, reader, &from) else { continue };
                let kept = quote!(__rt::kept(#handle));
                let kept = if is_own { quote!(__rt::Present::present(#kept)) } else { kept };
                bindings.push(quote!(let #to = #kept;));
            }
        }
        for (readers, name) in [(&self.output, "output"), (&self.grad, "grad"), (&self.grads, "grads")] {
            let (visible, hidden) = (format_ident!("{name}"), format_ident!("__{name}"));
            bindings.extend(handle(readers, reader, &hidden).map(|handle| quote!(let #visible = #handle;)));
        }
        bindings
    }
}

/// The handle for this reader: the value itself for the last one.
fn handle(readers: &Readers, reader: Option<usize>, name: &Ident) -> Option<TokenStream> {
    let reads = match reader {
        None => readers.shared,
        Some(position) => readers.formulas.contains(&position),
    };
    let last = readers.formulas.last().copied();
    reads.then(|| if last == reader { quote!(#name) } else { quote!(__rt::Clone::clone(&#name)) })
}

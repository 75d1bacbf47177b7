//! `#[backward ..]`

use proc_macro2::Ident;
use syn::{Attribute, Expr, MacroDelimiter, Meta, Stmt, Token, ext::IdentExt, parse::ParseStream};

use crate::{
    diag::did_you_mean,
    model::{Backward, Formula, Formulas},
};

/// Reads the attribute.
pub(super) fn attribute(attr: &Attribute) -> syn::Result<Backward> {
    let Meta::List(list) = &attr.meta else {
        let message = "say what the gradient is: `#[backward { input => formula; }]`, `#[backward(default)]` to differentiate through the body, or `#[backward(none)]` if there is none";
        return Err(syn::Error::new_spanned(attr, message));
    };
    if matches!(list.delimiter, MacroDelimiter::Brace(_)) {
        let formulas = list.parse_args_with(formulas)?;
        if formulas.entries.is_empty() {
            let message = "there is no formula here: write `input => formula;` for each differentiable input, or `#[backward(none)]`";
            return Err(syn::Error::new_spanned(attr, message));
        }
        return Ok(Backward::Formulas(formulas));
    }
    let mut words = list.tokens.clone().into_iter();
    let (Some(proc_macro2::TokenTree::Ident(word)), None) = (words.next(), words.next()) else {
        let message = "formulas stand in braces, as in `#[backward { x => grad; }]`; in parentheses stands `none` or `default`";
        return Err(syn::Error::new_spanned(attr, message));
    };
    if word == "none" {
        Ok(Backward::None)
    } else if word == "default" {
        Ok(Backward::Default(Box::new(attr.clone())))
    } else {
        let hint = did_you_mean(&word.to_string(), ["none", "default"]);
        let hint = if hint.is_empty() {
            "; formulas stand in braces, as in `#[backward { x => grad; }]`".to_owned()
        } else {
            hint
        };
        let message = format!("`{word}` is neither `none` nor `default`{hint}");
        Err(syn::Error::new(word.span(), message))
    }
}

fn formulas(input: ParseStream<'_>) -> syn::Result<Formulas> {
    let mut formulas = Formulas { shared: Vec::new(), entries: Vec::new() };
    while !input.is_empty() {
        if input.peek(Ident::peek_any) && input.peek2(Token![=>]) {
            formulas.entries.push(input.call(formula)?);
        } else if input.peek(Ident::peek_any)
            && (input.peek2(Token![->]) || input.peek2(Token![:]) && !input.peek2(Token![::]))
        {
            let name = input.call(Ident::parse_any)?;
            return Err(input.error(format!("a formula is written with `=>`, as in `{name} => grad;`")));
        } else if let Some(word) = word_of_parentheses(input) {
            return Err(syn::Error::new(
                word.span(),
                format!("`{word}` stands in parentheses, for the whole op: `#[backward({word})]`"),
            ));
        } else if formulas.entries.is_empty() {
            formulas.shared.push(input.call(statement)?);
        } else {
            return Err(input.error(
                "expected `input => formula;`; statements that formulas share stand before the first of them",
            ));
        }
    }
    Ok(formulas)
}

/// `none` or `default` where a formula should stand.
fn word_of_parentheses(input: ParseStream<'_>) -> Option<Ident> {
    let fork = input.fork();
    let word = fork.call(Ident::parse_any).ok()?;
    let alone = fork.is_empty() || fork.peek(Token![;]) || fork.peek(Token![,]);
    (alone && (word == "none" || word == "default")).then_some(word)
}

fn statement(input: ParseStream<'_>) -> syn::Result<Stmt> {
    input.parse().map_err(|error| {
        syn::Error::new(error.span(), format!("{error}; a formula is written `input => expression;`"))
    })
}

fn formula(input: ParseStream<'_>) -> syn::Result<Formula> {
    let name = input.call(Ident::parse_any)?;
    input.parse::<Token![=>]>()?;
    let fork = input.fork();
    let none = fork.call(Ident::parse_any).is_ok_and(|word| word == "none")
        && (fork.peek(Token![;]) || fork.is_empty());
    let expr = if none {
        input.call(Ident::parse_any)?;
        None
    } else {
        Some(input.parse::<Expr>()?)
    };
    if !input.is_empty() {
        input.parse::<Token![;]>().map_err(|error| {
            syn::Error::new(
                error.span(),
                "expected `;` before this: a formula ends with one, as in `x => grad;`",
            )
        })?;
    }
    Ok(Formula { input: name, expr })
}

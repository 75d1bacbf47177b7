//! Errors are collected, then reported all at once.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects errors. It must be finished: dropping it while it holds errors is a fault of the generator.
pub(crate) struct Sink {
    errors: Option<syn::Error>,
    finished: bool,
}

impl Sink {
    pub(crate) fn new() -> Self {
        Self { errors: None, finished: false }
    }

    /// Reports a mistake at the place of `tokens`.
    pub(crate) fn error(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    /// The value of a result, or nothing after reporting its error.
    pub(crate) fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// All errors as tokens that the compiler reports.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        self.into_result().map_err(syn::Error::into_compile_error)
    }

    /// All errors as one.
    pub(crate) fn into_result(mut self) -> syn::Result<()> {
        self.finished = true;
        self.errors.take().map_or(Ok(()), Err)
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if !self.finished && !std::thread::panicking() {
            assert!(self.errors.is_none(), "errors were collected and never reported");
        }
    }
}

/// The candidate that a misspelt name is closest to, if it is close at all: alike, or one slip in three letters away.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, candidate)| {
            *likeness > 0.8 || strsim::osa_distance(name, candidate) <= name.len() / 3
        })
        .max_by(|lhs, rhs| lhs.0.total_cmp(&rhs.0))
        .map(|(_, candidate)| candidate)
}

/// `; did you mean `x`?`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

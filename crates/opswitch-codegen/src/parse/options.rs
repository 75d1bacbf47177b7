//! The list in `#[backend_extension(..)]`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{
    Meta, Path, Token,
    ext::IdentExt,
    parenthesized,
    parse::{ParseStream, Parser},
    spanned::Spanned,
};

use crate::{
    diag::{Sink, did_you_mean},
    model::{AutodiffEntry, Backend},
};

/// What the attribute says.
pub(super) struct Options {
    pub(super) backends: Vec<Backend>,
    pub(super) autodiff: Option<AutodiffEntry>,
    pub(super) dispatch: Option<Path>,
    pub(super) krate: Path,
    pub(super) families: bool,
    /// Whether the list could not be read to its end, so that what is missing from it is no mistake.
    pub(super) broken: bool,
}

/// One entry of the list, as it is written: `path`, `Name = path`, either with `: cfg(..)`.
struct Entry {
    name: Option<Ident>,
    path: Path,
    cfg: Option<Meta>,
}

const OPTIONS: [&str; 3] = ["dispatch", "crate", "families"];

pub(super) fn parse(sink: &mut Sink, tokens: TokenStream) -> Options {
    let mut options = Options {
        backends: Vec::new(),
        autodiff: None,
        dispatch: None,
        krate: super::default_krate(),
        families: true,
        broken: false,
    };
    let mut seen = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let entry = input.call(entry)?;
            comma(input)?;
            options.add(sink, entry, &mut seen);
        }
        Ok(())
    };
    let parsed = parser.parse2(tokens);
    options.broken = sink.ok(parsed).is_none();
    options
}

fn comma(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    Err(input.error(if input.peek(Token![<]) {
        "a backend is listed by a path without generics; give it a name first, as in `type Npu = acme::Npu<f32>;`"
    } else {
        "a comma stands between entries, as in `Cpu, Npu = acme::Npu, Autodiff`"
    }))
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    let named = input.peek(Ident::peek_any) && input.peek2(Token![=]);
    let name = if named {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Some(name)
    } else {
        None
    };
    if !input.peek(Ident::peek_any) && !input.peek(Token![::]) {
        return Err(input.error("expected a backend, as in `Cpu` or `Npu = acme::Npu`, or an option: `dispatch = path`, `crate = path`"));
    }
    let path = input.call(Path::parse_mod_style)?;
    let cfg = if input.parse::<Option<Token![:]>>()?.is_some() { Some(input.call(cfg)?) } else { None };
    Ok(Entry { name, path, cfg })
}

/// `cfg(..)`
fn cfg(input: ParseStream<'_>) -> syn::Result<Meta> {
    let keyword = input.call(Ident::parse_any)?;
    if keyword != "cfg" {
        return Err(syn::Error::new(
            keyword.span(),
            "after the colon stands a condition, as in `cfg(feature = \"wgpu\")`",
        ));
    }
    let malformed = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            "write a condition that `#[cfg(..)]` takes, as in `cfg(feature = \"wgpu\")`",
        )
    };
    let condition;
    parenthesized!(condition in input);
    let meta = condition.parse().map_err(malformed)?;
    if condition.is_empty() { Ok(meta) } else { Err(malformed(condition.error(""))) }
}

impl Options {
    fn add(&mut self, sink: &mut Sink, entry: Entry, seen: &mut Vec<String>) {
        let option =
            entry.name.as_ref().map(Ident::to_string).filter(|name| OPTIONS.contains(&name.as_str()));
        let bare = entry.path.get_ident().filter(|_| entry.name.is_none()).map(Ident::to_string);
        if let Some(bare) = bare.filter(|name| OPTIONS.contains(&name.as_str())) {
            let example = if bare == "families" { "none" } else { "path" };
            sink.error(&entry.path, format!("`{bare}` needs a value: write `{bare} = {example}`"));
        } else if let Some(option) = option {
            self.set(sink, &option, entry, seen);
        } else if entry.name.as_ref().is_some_and(|name| name.to_string().starts_with(char::is_lowercase)) {
            let name = entry.name.expect("just looked at");
            let hint = did_you_mean(&name.to_string(), OPTIONS);
            sink.error(&name, format!("unknown option `{name}`{hint} (options: `dispatch = path`, `crate = path`, `families = none`; a backend has a name in upper camel case, as in `Npu = acme::Npu`)"));
        } else {
            self.list(sink, entry, seen);
        }
    }

    fn set(&mut self, sink: &mut Sink, option: &str, entry: Entry, seen: &mut Vec<String>) {
        let name = entry.name.expect("an option is named");
        if seen.iter().any(|earlier| earlier == option) {
            sink.error(&name, format!("`{option} = ` is given twice; keep one"));
        }
        seen.push(option.to_owned());
        if let Some(cfg) = &entry.cfg {
            sink.error(cfg, format!("`{option} = ` takes no condition; a backend does, as in `Npu = acme::Npu: cfg(feature = \"npu\")`"));
        }
        match option {
            "dispatch" => self.dispatch = Some(entry.path),
            "crate" => self.krate = entry.path,
            _ if entry.path.is_ident("none") => self.families = false,
            _ => sink.error(
                &entry.path,
                "write `families = none`, or leave it out to route the built-in op families too",
            ),
        }
    }

    fn list(&mut self, sink: &mut Sink, entry: Entry, seen: &mut Vec<String>) {
        let last = &entry.path.segments.last().expect("a path has a segment").ident;
        let name = entry.name.clone().unwrap_or_else(|| last.clone());
        // `self` and the like are paths, but no names for the variant of an enum.
        if syn::parse2::<Ident>(name.to_token_stream()).is_err() {
            sink.error(
                &name,
                format!("`{name}` is no name for a backend; give it one, as in `Npu = acme::Npu`"),
            );
            return;
        }
        if let Some(earlier) =
            self.backends.iter().find(|earlier| path_text(&earlier.path) == path_text(&entry.path))
        {
            sink.error(
                &name,
                format!("this backend is listed already, as `{}`; remove it here", earlier.name),
            );
            return;
        }
        if seen.iter().any(|earlier| name == earlier) {
            let hint = if name == "Autodiff" {
                "remove it here".to_owned()
            } else {
                format!(
                    "remove it, or give another backend another name, as in `Other = {}`",
                    path_text(&entry.path)
                )
            };
            sink.error(&name, format!("`{name}` is listed twice; {hint}"));
            return;
        }
        seen.push(name.to_string());
        if name == "Autodiff" && last != "Autodiff" {
            sink.error(&name, format!("no backend is called `Autodiff`, which wraps every other of the list; write `{}, Autodiff`", path_text(&entry.path)));
            self.autodiff = Some(AutodiffEntry { cfg: None });
            self.backends.push(Backend { name: last.clone(), path: entry.path, cfg: entry.cfg });
        } else if last == "Autodiff" {
            if let Some(alias) = &entry.name {
                sink.error(
                    alias,
                    "`Autodiff` wraps every backend of the list and takes no name; write `Autodiff` alone",
                );
            }
            self.autodiff = Some(AutodiffEntry { cfg: entry.cfg });
        } else if let Some(meant) = misspelt_autodiff(&name, &entry) {
            sink.push(syn::Error::new(entry.path.span(), meant));
            self.autodiff = Some(AutodiffEntry { cfg: entry.cfg });
        } else {
            self.backends.push(Backend { name, path: entry.path, cfg: entry.cfg });
        }
    }
}

/// `AutoDiff` and the like would be reported as an unknown type, which helps nobody.
fn misspelt_autodiff(name: &Ident, entry: &Entry) -> Option<String> {
    let written = name.to_string();
    let close = written.eq_ignore_ascii_case("autodiff") || written.eq_ignore_ascii_case("autograd");
    (close && entry.name.is_none())
        .then(|| format!("there is no entry `{written}`; did you mean `Autodiff`?"))
}

fn path_text(path: &Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

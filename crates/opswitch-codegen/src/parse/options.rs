//! The list in `#[backend_extension(..)]`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Meta, Path, Token,
    ext::IdentExt,
    parenthesized,
    parse::{ParseStream, Parser},
    spanned::Spanned,
    token,
};

use crate::{
    diag::{Sink, did_you_mean},
    model::{AutodiffEntry, Backend},
    tokens::{item_path, last_name},
};

/// What the attribute says.
pub(super) struct Options {
    pub(super) backends: Vec<Backend>,
    pub(super) autodiff: Option<AutodiffEntry>,
    pub(super) dispatch: Option<Path>,
    pub(super) krate: Path,
    /// `families`, if it is none.
    pub(super) no_families: Option<Ident>,
    /// `diagnostic`, if it is none.
    pub(super) no_diagnostic: Option<Ident>,
    /// `backends = any`
    pub(super) any_backend: Option<Path>,
    /// Whether an entry could not be read, so that what is missing from the list is no mistake.
    pub(super) broken: bool,
}

/// One entry of the list, as it is written: `path`, `Name = path`, either with `: cfg(..)`.
struct Entry {
    name: Option<Ident>,
    path: Path,
    cfg: Option<Meta>,
}

const OPTIONS: [&str; 5] = ["dispatch", "crate", "families", "diagnostic", "backends"];

pub(super) fn parse(sink: &mut Sink, tokens: TokenStream) -> Options {
    let mut options = Options {
        backends: Vec::new(),
        autodiff: None,
        dispatch: None,
        krate: super::default_krate(),
        no_families: None,
        no_diagnostic: None,
        any_backend: None,
        broken: false,
    };
    let mut seen = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match entry(sink, input) {
                Ok(entry) if ends(sink, input, &entry) => options.add(sink, entry, &mut seen),
                Ok(_) => options.broken = true,
                Err(error) => {
                    sink.push(error);
                    options.broken = true;
                    skip_entry(input)?;
                }
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    let parsed = parser.parse2(tokens);
    options.broken |= sink.ok(parsed).is_none();
    options
}

/// To the next comma that is not one of generics.
fn skip_entry(input: ParseStream<'_>) -> syn::Result<()> {
    let mut depth = 0_i32;
    while !input.is_empty() && (depth > 0 || !input.peek(Token![,])) {
        match input.parse::<TokenTree>()? {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            _ => {}
        }
    }
    Ok(())
}

/// Whether the entry is one as it stands, after reporting what follows it instead of a comma.
fn ends(sink: &mut Sink, input: ParseStream<'_>, entry: &Entry) -> bool {
    if input.is_empty() || input.peek(Token![,]) {
        return true;
    }
    if !input.peek(Token![<]) && !input.peek(token::Paren) {
        sink.push(input.error("a comma stands between entries, as in `Cpu, Npu = acme::Npu, Autodiff`"));
        return true;
    }
    let last = last_name(&entry.path);
    sink.push(if last == "Autodiff" {
        let message = "`Autodiff` stands beside the backends and wraps each of them; write `Cpu, Autodiff`";
        syn::Error::new(last.span(), message)
    } else {
        input.error("a backend is listed by a path without generics; give it a name first, as in `type Npu = acme::Npu<f32>;`")
    });
    sink.ok(skip_entry(input));
    false
}

fn entry(sink: &mut Sink, input: ParseStream<'_>) -> syn::Result<Entry> {
    if input.peek(Token![#]) {
        return Err(input.error(
            "a condition stands behind its backend, as in `Npu = acme::Npu: cfg(feature = \"npu\")`",
        ));
    }
    let named = input.peek(Ident::peek_any) && input.peek2(Token![=]);
    let name = if named {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Some(name)
    } else {
        None
    };
    if !input.peek(Ident::peek_any) && !input.peek(Token![::]) {
        return Err(input.error(match name {
            Some(name) if OPTIONS.iter().any(|option| name == option) => {
                format!("write {}", usage(&name.to_string()))
            }
            _ => "expected a backend, as in `Cpu` or `Npu = acme::Npu`, or an option, as in `dispatch = Dispatch`"
                .to_owned(),
        }));
    }
    let path = input.call(item_path)?;
    if input.peek(Token![:])
        && let Some(option) = path.get_ident().map(Ident::to_string)
        && OPTIONS.contains(&option.as_str())
    {
        return Err(input.error(format!("an option is written with `=`: {}", usage(&option))));
    }
    let mut condition = None;
    if input.parse::<Option<Token![:]>>()?.is_some() {
        condition = sink.ok(input.call(cfg));
        if condition.is_none() {
            skip_entry(input)?;
        }
    }
    Ok(Entry { name, path, cfg: condition })
}

/// How an option is written.
fn usage(option: &str) -> &'static str {
    match option {
        "dispatch" => "`dispatch = path`, as in `dispatch = opswitch::Dispatch`",
        "crate" => "`crate = path`, as in `crate = my_facade::opswitch`",
        "families" => "`families = none`",
        "backends" => "`backends = any`",
        _ => "`diagnostic = none`",
    }
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
    let condition;
    parenthesized!(condition in input);
    let start = condition.span();
    let condition: TokenStream = condition.parse()?;
    let message = "write a condition that `#[cfg(..)]` takes, as in `cfg(feature = \"wgpu\")`";
    syn::parse2(condition).map_err(|_| syn::Error::new(start, message))
}

impl Options {
    fn add(&mut self, sink: &mut Sink, entry: Entry, seen: &mut Vec<String>) {
        let option =
            entry.name.as_ref().map(Ident::to_string).filter(|name| OPTIONS.contains(&name.as_str()));
        let bare = entry.path.get_ident().filter(|_| entry.name.is_none()).map(Ident::to_string);
        if let Some(bare) = bare.filter(|name| OPTIONS.contains(&name.as_str())) {
            sink.error(&entry.path, format!("`{bare}` needs a value: write {}", usage(&bare)));
        } else if let Some(option) = option {
            self.set(sink, &option, entry, seen);
        } else if let Some(name) =
            entry.name.as_ref().filter(|name| name.to_string().starts_with(char::is_lowercase))
        {
            sink.error(name, unknown_option(name, &entry.path));
            self.broken = true;
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
            "backends" if entry.path.is_ident("any") => self.any_backend = Some(entry.path),
            "backends" => sink.error(
                &entry.path,
                "write `backends = any` for ops whose bodies run on every backend, or list backends without a name before them, as in `Cpu, Npu`",
            ),
            "families" if entry.path.is_ident("none") => self.no_families = Some(name),
            "families" => sink.error(
                &entry.path,
                "write `families = none`, or leave it out to route the built-in op families too",
            ),
            _ if entry.path.is_ident("none") => self.no_diagnostic = Some(name),
            _ => sink.error(
                &entry.path,
                "write `diagnostic = none` in a module with `#![no_implicit_prelude]`, where the attribute `#[diagnostic::on_unimplemented]` has no path, and leave it out elsewhere",
            ),
        }
    }

    fn list(&mut self, sink: &mut Sink, entry: Entry, seen: &mut Vec<String>) {
        let last = last_name(&entry.path);
        let name = entry.name.clone().unwrap_or_else(|| last.clone());
        // `self` and the like are paths, but no names for the variant of an enum.
        if syn::parse2::<Ident>(name.to_token_stream()).is_err() {
            sink.error(
                &name,
                format!("`{name}` is no name for a backend; give it one, as in `Npu = acme::Npu`"),
            );
            self.broken = true;
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

/// `name = path` where the name is that of no option.
fn unknown_option(name: &Ident, path: &Path) -> String {
    let hint = did_you_mean(&name.to_string(), OPTIONS);
    let value = last_name(path).to_string();
    if hint.is_empty() && value.starts_with(char::is_uppercase) {
        let path = path_text(path);
        return format!(
            "`{name}` is no option, and a backend has a name in upper camel case, as in `{value} = {path}`"
        );
    }
    if hint.is_empty() {
        return format!(
            "unknown option `{name}`; there are `dispatch = path`, `crate = path`, `backends = any`, `families = none` and `diagnostic = none`"
        );
    }
    format!("unknown option `{name}`{hint}")
}

fn path_text(path: &Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

//! The uses of the macros in other tests, as inputs of the code generator. The tests here start from them, and
//! `cargo xtask fuzz` does.

use std::{fs, io, path::Path};

use quote::ToTokens;
use syn::{Attribute, Item, Meta};

/// What the compiler hands to one of the macros. As text, since tokens stay on one thread.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    /// The tokens in the attribute, or in the call of the macro.
    pub(crate) options: String,
    /// The item that the attribute stands on.
    pub(crate) item: String,
}

/// Every use of the macros in the files of `ui`, and in the sources of the snapshots and routing tests.
///
/// # Errors
///
/// If a file can't be read.
pub(crate) fn of_tests(tests: &Path) -> io::Result<Vec<Seed>> {
    let mut sources = Vec::new();
    for folder in ["ui", "it", "src"] {
        read_sources(&tests.join(folder), &mut sources)?;
    }
    let literals: Vec<String> = sources.iter().flat_map(|source| raw_strings(source)).collect();
    sources.extend(literals);
    sources.sort();
    let files = sources.iter().filter_map(|source| syn::parse_file(source).ok());
    let mut seeds = Vec::new();
    for file in files {
        collect(file.items, &mut seeds);
    }
    Ok(seeds)
}

fn read_sources(folder: &Path, sources: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_sources(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(fs::read_to_string(path)?);
        }
    }
    Ok(())
}

/// What the snapshots expand stands in raw strings.
fn raw_strings(source: &str) -> Vec<String> {
    let of = |start: &str, end: &str| -> Vec<String> {
        let rests = source.split(start).skip(1);
        rests.filter_map(|rest| Some(rest.split_once(end)?.0.to_owned())).collect()
    };
    [of("r\"", "\""), of("r#\"", "\"#")].concat()
}

fn collect(items: Vec<Item>, seeds: &mut Vec<Seed>) {
    for item in items {
        match item {
            Item::Mod(module) => collect(module.content.unwrap_or_default().1, seeds),
            item => seeds.extend(seed(item)),
        }
    }
}

fn seed(mut item: Item) -> Option<Seed> {
    let attrs: &mut Vec<Attribute> = match &mut item {
        Item::Trait(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Union(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => return Some(Seed { options: item.mac.tokens.to_string(), item: String::new() }),
        _ => return None,
    };
    let place = attrs
        .iter()
        .position(|attr| attr.path().is_ident("backend_extension") || attr.path().is_ident("derive"))?;
    let options = match attrs.remove(place).meta {
        Meta::List(list) => list.tokens.to_string(),
        _ => String::new(),
    };
    Some(Seed { options, item: item.into_token_stream().to_string() })
}

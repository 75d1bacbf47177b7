//! Source files, by following their `mod` items.

use std::{
    fs,
    path::{Path, PathBuf},
};

use opswitch_codegen::parse_source;
use syn::{Attribute, Expr, ExprLit, File, Item, ItemMod, Lit, Meta};

use crate::error::Failure;

/// A source file that was read.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
}

impl Source {
    /// Reads one file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text =
            fs::read_to_string(path).map_err(|error| Failure::Read { path: path.to_owned(), error })?;
        let file = parse_source(&text)
            .map_err(|mistake| Failure::Mistakes { path: path.to_owned(), mistakes: vec![mistake] })?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// The path as it is best shown: from the current folder, if it is below that.
    pub(crate) fn shown(&self) -> String {
        let current = std::env::current_dir().unwrap_or_default();
        self.path.strip_prefix(current).unwrap_or(&self.path).display().to_string()
    }
}

/// Reads a crate: the root file, and every module below it, without what is under `#[cfg(test)]`. What cannot be read is
/// listed beside it.
pub(crate) fn read_crate(root: &Path) -> (Vec<Source>, Vec<Failure>) {
    let mut read = (Vec::new(), Vec::new());
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    follow(root, &folder, &mut read);
    read
}

/// Reads a file whose modules lie in `folder`.
fn follow(path: &Path, folder: &Path, read: &mut (Vec<Source>, Vec<Failure>)) {
    match Source::read(path) {
        Ok(mut source) => {
            leave_out_tests(&mut source.file.items);
            let modules = modules(&source.file.items, path, folder);
            read.0.push(source);
            for (path, folder) in modules {
                // A module may be included twice; a file that includes itself would never end.
                if !read.0.iter().any(|earlier| earlier.path == path) {
                    follow(&path, &folder, read);
                }
            }
        }
        Err(failure) => read.1.push(failure),
    }
}

/// The files of the modules that these items declare, each with the folder of its own modules. A file that is not there is
/// left to the compiler, which may not need it.
fn modules(items: &[Item], path: &Path, folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let declared = items.iter().filter_map(|item| match item {
        Item::Mod(module) => Some(module),
        _ => None,
    });
    let files = declared.flat_map(|module| match &module.content {
        Some((_, inside)) => modules(inside, path, &folder.join(module.ident.to_string())),
        None => file_of(module, path, folder).into_iter().collect(),
    });
    files.collect()
}

fn file_of(module: &ItemMod, path: &Path, folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let name = module.ident.to_string();
    let name = name.trim_start_matches("r#");
    if let Some(given) = module.attrs.iter().find_map(path_attribute) {
        let file = path.parent()?.join(given);
        let folder = file.parent()?.to_owned();
        return Some((file, folder));
    }
    let candidates = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
    let file = candidates.into_iter().find(|file| file.is_file())?;
    Some((file, folder.join(name)))
}

/// The file in `#[path = "file"]`.
fn path_attribute(attr: &Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn leave_out_tests(items: &mut Vec<Item>) {
    items.retain(|item| !attributes(item).iter().any(is_test));
    for item in items {
        if let Item::Mod(ItemMod { content: Some((_, inside)), .. }) = item {
            leave_out_tests(inside);
        }
    }
}

/// `#[cfg(test)]`
fn is_test(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg") && attr.parse_args::<Meta>().is_ok_and(|meta| meta.path().is_ident("test"))
}

/// The attributes of the items that say something of ops.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. })
        | Item::Macro(syn::ItemMacro { attrs, .. })
        | Item::Mod(ItemMod { attrs, .. })
        | Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Trait(syn::ItemTrait { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Use(syn::ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

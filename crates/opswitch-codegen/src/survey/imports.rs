//! What `use` and `type` say that a name stands for.

use std::collections::BTreeMap;

use syn::{ItemType, ItemUse, Type, UseTree};

use super::{Name, name};

/// Adds what a `use` brings into scope. What stands behind `*` is not known.
pub(super) fn of_use(item: &ItemUse, imports: &mut BTreeMap<String, Name>) {
    tree(&item.tree, &mut Vec::new(), imports);
}

fn tree(part: &UseTree, prefix: &mut Name, imports: &mut BTreeMap<String, Name>) {
    match part {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            tree(&path.tree, prefix, imports);
            prefix.pop();
        }
        UseTree::Name(item) if item.ident == "self" => {
            if let Some(last) = prefix.last() {
                imports.insert(last.clone(), prefix.clone());
            }
        }
        UseTree::Name(item) => {
            let name = item.ident.to_string();
            imports.insert(name.clone(), [&prefix[..], &[name]].concat());
        }
        UseTree::Rename(item) => {
            let target = [&prefix[..], &[item.ident.to_string()]].concat();
            imports.insert(item.rename.to_string(), target);
        }
        UseTree::Group(group) => group.items.iter().for_each(|part| tree(part, prefix, imports)),
        UseTree::Glob(_) => {}
    }
}

/// Adds what a type alias stands for: `type Npu = acme::Npu<f32>;`.
pub(super) fn of_type(item: &ItemType, imports: &mut BTreeMap<String, Name>) {
    if let Type::Path(ty) = &*item.ty
        && ty.qself.is_none()
    {
        imports.insert(item.ident.to_string(), name(&ty.path));
    }
}

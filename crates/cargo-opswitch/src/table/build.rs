//! From what was scanned to the table: which ops stand where. What stands in their cells is in `cells`.

use std::collections::BTreeSet;

use opswitch_codegen::survey::{Backend, Dispatch, Implementation, Implementor, Name, Op, OpTrait, Route};

use super::{
    coverage::{Cell, Column, Coverage, Group, Head, Row, Section},
    scan::{Declared, Scan},
};
use crate::{error::Failure, options, package::Kind};

/// The table that the options ask for.
pub(super) fn coverage(scan: &Scan, options: &options::Table) -> Result<Coverage, Failure> {
    let mut builder = Builder::new(scan, options.families);
    let mut sections = Vec::new();
    for dispatch in 0..builder.dispatches.len() {
        if options.dispatch.as_ref().is_none_or(|name| builder.dispatches[dispatch].name == *name) {
            sections.extend(builder.routed(dispatch));
        }
    }
    match &options.dispatch {
        Some(name) if sections.is_empty() => return Err(builder.no_dispatch(name)),
        Some(_) => {}
        None => sections.extend(builder.unrouted()),
    }
    let package = scan.own().name.clone();
    if sections.is_empty() {
        return Err(Failure::Refused(format!(
            "package `{package}` has no trait with `#[backend_extension]`, and routes none of a library; `--families` shows the built-in ops"
        )));
    }
    let mut notes = builder.notes;
    notes.extend(scan.failures.iter().map(|failure| format!("not scanned: {failure}")));
    Ok(Coverage { package, sections, notes })
}

pub(super) struct Builder<'a> {
    pub(super) scan: &'a Scan,
    dispatches: Vec<&'a Dispatch>,
    dispatches_at: Vec<Declared>,
    pub(super) traits: Vec<&'a OpTrait>,
    traits_at: Vec<Declared>,
    pub(super) backends: Vec<Declared>,
    /// What implements each trait.
    pub(super) implementations: Vec<Vec<(usize, &'a Implementation)>>,
    /// The dispatch and the trait of each that meet.
    routes: BTreeSet<(usize, usize)>,
    notes: Vec<String>,
}

/// A backend that a column is about.
pub(super) struct Listed<'a> {
    /// What the list calls it.
    pub(super) name: &'a str,
    /// Its type.
    pub(super) path: Name,
    /// Its position among the backends whose `impl Backend` was scanned.
    pub(super) backend: Option<usize>,
}

impl<'a> Builder<'a> {
    fn new(scan: &'a Scan, families: bool) -> Self {
        let mut builder = Self {
            scan,
            dispatches: Vec::new(),
            dispatches_at: Vec::new(),
            traits: Vec::new(),
            traits_at: Vec::new(),
            backends: scan.backends(),
            implementations: Vec::new(),
            routes: BTreeSet::new(),
            notes: Vec::new(),
        };
        for (file, scanned) in scan.files.iter().enumerate() {
            for dispatch in &scanned.survey.dispatches {
                builder.dispatches.push(dispatch);
                builder.dispatches_at.push(Declared { file, name: dispatch.name.clone() });
            }
            for trait_ in &scanned.survey.traits {
                builder.traits.push(trait_);
                builder.traits_at.push(Declared { file, name: trait_.name.clone() });
            }
        }
        builder.find_implementations();
        builder.routes.extend(builder.attribute_routes());
        builder.routes.extend(builder.extension_routes());
        if families {
            builder.routes.extend(builder.family_routes());
        }
        builder
    }

    fn find_implementations(&mut self) {
        self.implementations = vec![Vec::new(); self.traits.len()];
        for (file, implementation) in self.scan.implementations() {
            if let Some(trait_) = self.scan.resolve(file, &implementation.trait_, &self.traits_at) {
                self.implementations[trait_].push((file, implementation));
            }
        }
    }

    /// The dispatches that attributes on traits name.
    fn attribute_routes(&self) -> Vec<(usize, usize)> {
        let traits = self.traits.iter().zip(&self.traits_at).enumerate();
        let route = |(position, (trait_, Declared { file, .. })): (usize, (&&OpTrait, &Declared))| {
            let name = trait_.dispatch.as_ref().filter(|_| self.is_shown(*file))?;
            Some((self.scan.resolve(*file, name, &self.dispatches_at)?, position))
        };
        traits.filter_map(route).collect()
    }

    /// What `extend_dispatch!` adds.
    fn extension_routes(&self) -> Vec<(usize, usize)> {
        let files = self.scan.files.iter().enumerate().filter(|(file, _)| self.is_shown(*file));
        let routes = files.flat_map(|(file, scanned)| scanned.survey.routes.iter().map(move |it| (file, it)));
        let route = |(file, route): (usize, &Route)| {
            let dispatch = self.scan.resolve(file, &route.dispatch, &self.dispatches_at)?;
            Some((dispatch, self.scan.resolve(file, &route.trait_, &self.traits_at)?))
        };
        routes.filter_map(route).collect()
    }

    /// The built-in op families, which a dispatch routes unless it says otherwise.
    fn family_routes(&self) -> Vec<(usize, usize)> {
        let shown = |dispatch: &usize| {
            self.dispatches[*dispatch].families && self.is_shown(self.dispatches_at[*dispatch].file)
        };
        let of_core = |trait_: &usize| self.scan.kind(self.traits_at[*trait_].file) == Kind::Core;
        let traits = || (0..self.traits.len()).filter(of_core);
        let dispatches = (0..self.dispatches.len()).filter(shown);
        dispatches.flat_map(|dispatch| traits().map(move |trait_| (dispatch, trait_))).collect()
    }

    /// Whether what a file declares is shown without being asked for by name.
    fn is_shown(&self, file: usize) -> bool {
        matches!(self.scan.kind(file), Kind::Own | Kind::Local)
    }

    fn no_dispatch(&self, name: &str) -> Failure {
        let routing: BTreeSet<&str> =
            self.routes.iter().map(|(dispatch, _)| self.dispatches[*dispatch].name.as_str()).collect();
        let known = match routing.len() {
            0 => "no dispatch does; `--families` counts the built-in ops".to_owned(),
            _ => format!("these do: {}", routing.into_iter().collect::<Vec<_>>().join(", ")),
        };
        Failure::Refused(format!("no dispatch `{name}` routes ops here; {known}"))
    }

    /// The ops that a dispatch routes.
    fn routed(&mut self, dispatch: usize) -> Option<Section> {
        let (declared, file) = (self.dispatches[dispatch], self.dispatches_at[dispatch].file);
        let traits: Vec<usize> =
            self.routes.iter().filter(|(other, _)| *other == dispatch).map(|(_, trait_)| *trait_).collect();
        if traits.is_empty() {
            return None;
        }
        let listed: Vec<Listed<'_>> =
            declared.backends.iter().map(|backend| self.listed(file, backend)).collect();
        let head = Head {
            name: declared.name.clone(),
            place: self.scan.place(file, declared.line),
            autodiff: declared.autodiff,
        };
        let columns = declared.backends.iter();
        let columns = columns
            .map(|backend| Column { name: backend.name.clone(), condition: backend.condition.clone() });
        Some(Section {
            dispatch: Some(head),
            backends: columns.collect(),
            groups: self.groups(&traits, &listed),
        })
    }

    fn listed<'b>(&self, file: usize, backend: &'b Backend) -> Listed<'b> {
        let position = self.scan.resolve(file, &backend.path, &self.backends);
        Listed { name: &backend.name, path: backend.path.clone(), backend: position }
    }

    /// The ops that wait for a dispatch, with the backends that implement one of them.
    fn unrouted(&mut self) -> Option<Section> {
        let waits = |trait_: &usize| {
            self.is_shown(self.traits_at[*trait_].file)
                && self.routes.iter().all(|(_, routed)| routed != trait_)
        };
        let traits: Vec<usize> = (0..self.traits.len()).filter(waits).collect();
        if traits.is_empty() {
            return None;
        }
        let implementors = traits.iter().flat_map(|trait_| &self.implementations[*trait_]);
        let backends: BTreeSet<usize> = implementors
            .filter_map(|(file, implementation)| match &implementation.implementor {
                Implementor::Type(name) => self.scan.resolve(*file, name, &self.backends),
                Implementor::Every => None,
            })
            .filter(|backend| self.backends[*backend].name != "Autodiff")
            .collect();
        let names: Vec<String> =
            backends.iter().map(|backend| self.backends[*backend].name.clone()).collect();
        let listed: Vec<Listed<'_>> = names
            .iter()
            .zip(&backends)
            .map(|(name, backend)| Listed { name, path: vec![name.clone()], backend: Some(*backend) })
            .collect();
        let groups = self.groups(&traits, &listed);
        let columns = names.iter().map(|name| Column { name: name.clone(), condition: None }).collect();
        Some(Section { dispatch: None, backends: columns, groups })
    }

    fn groups(&mut self, traits: &[usize], backends: &[Listed<'_>]) -> Vec<Group> {
        traits.iter().map(|trait_| self.group(*trait_, backends)).collect()
    }

    fn group(&mut self, trait_: usize, backends: &[Listed<'_>]) -> Group {
        let declared = self.traits[trait_];
        let rows = declared.ops.iter().map(|op| Row {
            op: op.name.clone(),
            condition: op.condition.clone(),
            cells: backends.iter().map(|backend| self.cell(trait_, op, backend)).collect(),
            gradient: op.gradient.clone(),
        });
        let rows = rows.collect();
        let place = self.scan.place(self.traits_at[trait_].file, declared.line);
        Group { trait_: declared.name.clone(), place, rows }
    }

    fn cell(&mut self, trait_: usize, op: &Op, backend: &Listed<'_>) -> Cell {
        self.seen(trait_, op, backend).unwrap_or_else(|note| {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            Cell::Unknown
        })
    }
}

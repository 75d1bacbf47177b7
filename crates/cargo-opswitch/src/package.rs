//! The packages that may hold ops, as cargo knows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use cargo_metadata::{
    CargoOpt, DependencyKind, Metadata, MetadataCommand, Node, Package, PackageId, Target, TargetKind,
};

use crate::{
    error::Failure,
    options,
    source::{Source, read_crate},
};

/// The crate that every package with ops depends on, and that declares the built-in op families.
const CORE: &str = "opswitch-core";

/// A package, and those of its dependencies that depend on opswitch, the package itself first.
pub(crate) struct Packages(Vec<OpPackage>);

/// A package that depends on opswitch.
pub(crate) struct OpPackage {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) folder: PathBuf,
    /// The position of each dependency in the list of packages, by the name that its crate has in this one.
    pub(crate) externs: BTreeMap<String, usize>,
    roots: Vec<PathBuf>,
}

/// What a package is to the one that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is that one.
    Own,
    /// A member of the workspace, or a dependency by path.
    Local,
    /// A dependency from a registry or a repository.
    Library,
    /// The one with the built-in op families.
    Core,
}

impl Packages {
    /// Asks cargo.
    pub(crate) fn load(options: &options::Package) -> Result<Self, Failure> {
        let mut command = MetadataCommand::new();
        // A backend is often an optional dependency, behind the feature that its entry in a dispatch is under.
        command.features(CargoOpt::AllFeatures);
        if let Some(path) = &options.manifest_path {
            command.manifest_path(path);
        }
        let metadata = command.exec()?;
        let graph = Graph::new(&metadata);
        let own = own_package(&graph, options.package.as_deref())?;
        let ids = graph.with_ops(&own.id);
        if ids.is_empty() {
            return Err(Failure::Refused(format!(
                "package `{}` does not depend on opswitch; add it with `cargo add opswitch`",
                own.name
            )));
        }
        Ok(Self(ids.iter().map(|id| graph.op_package(id, own, &ids)).collect()))
    }

    pub(crate) fn list(&self) -> &[OpPackage] {
        &self.0
    }

    /// Every source file of the package that is looked at.
    pub(crate) fn own_sources(&self) -> Result<Vec<Source>, Failure> {
        let (sources, mut failures) = self.0[0].sources();
        if failures.is_empty() { Ok(sources) } else { Err(failures.swap_remove(0)) }
    }
}

impl OpPackage {
    /// The source files of its library and programs, and what cannot be read.
    pub(crate) fn sources(&self) -> (Vec<Source>, Vec<Failure>) {
        let (mut sources, mut failures) = (Vec::<Source>::new(), Vec::new());
        for root in &self.roots {
            let (read, failed) = read_crate(root);
            for source in read {
                // Two programs may share a module.
                if !sources.iter().any(|earlier| earlier.path == source.path) {
                    sources.push(source);
                }
            }
            failures.extend(failed);
        }
        (sources, failures)
    }
}

/// The package that the options name, or else the one in the current folder.
fn own_package<'a>(graph: &Graph<'a>, name: Option<&str>) -> Result<&'a Package, Failure> {
    let metadata = graph.metadata;
    let members = metadata.workspace_packages();
    if let Some(name) = name {
        return members.iter().copied().find(|package| *package.name == name).ok_or_else(|| {
            let names: Vec<&str> = members.iter().map(|package| package.name.as_str()).collect();
            Failure::Refused(format!(
                "there is no package `{name}` in this workspace, which has {}",
                names.join(", ")
            ))
        });
    }
    metadata.root_package().ok_or_else(|| {
        let with_ops: Vec<&str> = members
            .iter()
            .filter(|package| !graph.with_ops(&package.id).is_empty())
            .map(|package| package.name.as_str())
            .collect();
        Failure::Refused(format!(
            "this folder is a workspace, not a package; choose one with `--package`: {}",
            with_ops.join(", ")
        ))
    })
}

/// What depends on what.
struct Graph<'a> {
    metadata: &'a Metadata,
    packages: BTreeMap<&'a PackageId, &'a Package>,
    nodes: BTreeMap<&'a PackageId, &'a Node>,
}

impl<'a> Graph<'a> {
    fn new(metadata: &'a Metadata) -> Self {
        let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
        Self {
            metadata,
            packages: metadata.packages.iter().map(|package| (&package.id, package)).collect(),
            nodes: nodes.map(|node| (&node.id, node)).collect(),
        }
    }

    /// What a package needs to run: the name of each crate, and its package.
    fn dependencies(&self, id: &PackageId) -> impl Iterator<Item = (&'a str, &'a PackageId)> {
        let deps = self.nodes.get(id).map(|node| &node.deps);
        deps.into_iter()
            .flatten()
            .filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal))
            .map(|dep| (dep.name.as_str(), &dep.pkg))
    }

    /// The package and its dependencies, as far as they depend on opswitch; none, if it does not.
    fn with_ops(&self, id: &'a PackageId) -> Vec<&'a PackageId> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        self.visit(id, &mut found, &mut seen);
        // Dependencies come before what depends on them.
        found.reverse();
        found
    }

    fn visit(&self, id: &'a PackageId, found: &mut Vec<&'a PackageId>, seen: &mut BTreeSet<&'a PackageId>) {
        if !seen.insert(id) {
            return;
        }
        for (_, dependency) in self.dependencies(id) {
            self.visit(dependency, found, seen);
        }
        let depends = self.dependencies(id).any(|(_, dependency)| found.contains(&dependency));
        if depends || *self.packages[id].name == CORE {
            found.push(id);
        }
    }

    fn op_package(&self, id: &PackageId, own: &Package, ids: &[&PackageId]) -> OpPackage {
        let package = self.packages[id];
        let position = |id: &PackageId| ids.iter().position(|other| *other == id);
        let mut externs: BTreeMap<String, usize> = self
            .dependencies(id)
            .filter_map(|(name, dependency)| Some((name.to_owned(), position(dependency)?)))
            .collect();
        let roots = package.targets.iter().filter(|target| is_source(target));
        // The programs of a package reach its library by name.
        if let Some(library) = package.targets.iter().find(|target| target.is_lib()) {
            externs.extend(position(id).map(|own| (library.name.replace('-', "_"), own)));
        }
        OpPackage {
            name: package.name.to_string(),
            kind: match () {
                () if package.id == own.id => Kind::Own,
                () if *package.name == CORE => Kind::Core,
                () if package.source.is_none() => Kind::Local,
                () => Kind::Library,
            },
            folder: package
                .manifest_path
                .parent()
                .map(|folder| folder.as_std_path().to_owned())
                .unwrap_or_default(),
            externs,
            roots: roots.map(|target| target.src_path.clone().into_std_path_buf()).collect(),
        }
    }
}

/// Libraries and programs, but not tests, benchmarks, examples and build scripts.
fn is_source(target: &Target) -> bool {
    let is_library = |kind: &TargetKind| {
        matches!(
            kind,
            TargetKind::Lib
                | TargetKind::RLib
                | TargetKind::DyLib
                | TargetKind::CDyLib
                | TargetKind::StaticLib
                | TargetKind::Bin
        )
    };
    target.kind.iter().any(is_library)
}

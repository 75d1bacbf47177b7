//! The sources of all packages with ops, and what the names in them mean.

use std::path::Path;

use opswitch_codegen::survey::{
    Implementation, Implementor, MacroCall, MacroDefinition, Name, Survey, survey,
};

use crate::{
    error::Failure,
    package::{Kind, OpPackage, Packages},
    source::Source,
};

/// How often a name may lead to another: enough for any alias of an alias, and an end to those that go round.
const MAX_ALIASES: usize = 8;

/// Everything that was scanned.
pub(crate) struct Scan {
    packages: Packages,
    pub(crate) files: Vec<ScannedFile>,
    /// What could not be scanned, in dependencies.
    pub(crate) failures: Vec<Failure>,
}

/// A source file that was scanned.
pub(crate) struct ScannedFile {
    /// The position of its package.
    pub(crate) package: usize,
    /// The path in its package.
    path: String,
    pub(crate) survey: Survey,
}

/// Something that has a name: where it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) file: usize,
    pub(crate) name: String,
}

/// What a name leads to.
struct Meaning {
    /// The package, if it is known.
    package: Option<usize>,
    /// The last part, under which the package has it.
    name: String,
    /// Whether the path starts with something that is not known: a module, or a crate that was not scanned.
    foreign: bool,
}

impl Scan {
    pub(crate) fn of(packages: Packages) -> Result<Self, Failure> {
        let (mut files, mut failures) = (Vec::new(), Vec::new());
        for (position, package) in packages.list().iter().enumerate() {
            let (sources, unread) = package.sources();
            let mut failed = unread;
            for source in sources {
                match scanned(position, package, source) {
                    Ok(file) => files.push(file),
                    Err(failure) => failed.push(failure),
                }
            }
            if package.kind == Kind::Own && !failed.is_empty() {
                return Err(failed.swap_remove(0));
            }
            failures.extend(failed);
        }
        Ok(Self { packages, files, failures })
    }

    /// The package that is looked at.
    pub(crate) fn own(&self) -> &OpPackage {
        &self.packages.list()[0]
    }

    pub(crate) fn kind(&self, file: usize) -> Kind {
        self.package(file).kind
    }

    fn package(&self, file: usize) -> &OpPackage {
        &self.packages.list()[self.files[file].package]
    }

    /// A line of a file, as people are told of it: with the package, if it is another.
    pub(crate) fn place(&self, file: usize, line: usize) -> String {
        let path = &self.files[file].path;
        match self.package(file) {
            package if package.kind == Kind::Own => format!("{path}:{line}"),
            package => format!("{}/{path}:{line}", package.name),
        }
    }

    /// Every backend: what implements `Backend`.
    pub(crate) fn backends(&self) -> Vec<Declared> {
        let implementations = self
            .implementations()
            .filter(|(_, implementation)| implementation.trait_.last().is_some_and(|last| last == "Backend"));
        let declared =
            implementations.filter_map(|(file, implementation)| match &implementation.implementor {
                Implementor::Type(name) => Some(Declared { file, name: name.last()?.clone() }),
                Implementor::Every => None,
            });
        declared.collect()
    }

    /// Every `impl`, with its file.
    pub(crate) fn implementations(&self) -> impl Iterator<Item = (usize, &Implementation)> {
        self.files.iter().enumerate().flat_map(|(file, scanned)| {
            scanned.survey.implementations.iter().map(move |implementation| (file, implementation))
        })
    }

    /// Every call of a macro that stands for items, with its file.
    pub(crate) fn macro_calls(&self) -> impl Iterator<Item = (usize, &MacroCall)> {
        let files = self.files.iter().enumerate();
        files.flat_map(|(file, scanned)| scanned.survey.macro_calls.iter().map(move |call| (file, call)))
    }

    /// The definition of a macro that a file calls, if it was scanned: of two with one name, that of the file itself.
    pub(crate) fn macro_definition(&self, file: usize, call: &MacroCall) -> Option<&MacroDefinition> {
        let files = [&self.files[file]].into_iter().chain(&self.files);
        let mut definitions = files.flat_map(|file| &file.survey.macro_definitions);
        definitions.find(|definition| Some(&definition.name) == call.macro_.last())
    }

    /// Which of the candidates a name in a file means.
    pub(crate) fn resolve(&self, file: usize, name: &Name, candidates: &[Declared]) -> Option<usize> {
        self.resolve_within(file, name, candidates, MAX_ALIASES)
    }

    fn resolve_within(
        &self,
        file: usize,
        name: &Name,
        candidates: &[Declared],
        aliases: usize,
    ) -> Option<usize> {
        let Meaning { package, name, foreign } = self.meaning(file, name)?;
        let named = || candidates.iter().enumerate().filter(|(_, candidate)| candidate.name == name);
        let inside = |package: usize| named().filter(move |(_, it)| self.files[it.file].package == package);
        // What is not known to come from elsewhere is declared here, or behind a `use path::*`.
        let package = package.unwrap_or(self.files[file].package);
        let near = inside(package).find(|(_, it)| it.file == file).or_else(|| inside(package).next());
        let found = near.map(|(position, _)| position).or_else(|| {
            let aliases = aliases.checked_sub(1)?;
            let (file, target) = self.export(package, &name)?;
            self.resolve_within(file, target, candidates, aliases)
        });
        // What was not found may come through a `*`: then a name that only one thing has is good enough.
        let only = || named().next().filter(|_| !foreign && named().count() == 1);
        found.or_else(|| only().map(|(position, _)| position))
    }

    /// What a name in a file leads to.
    fn meaning(&self, file: usize, name: &Name) -> Option<Meaning> {
        let scanned = &self.files[file];
        let externs = &self.package(file).externs;
        let mut path = name.clone();
        for _ in 0..MAX_ALIASES {
            let first = path.first()?;
            if let Some(target) =
                scanned.survey.imports.get(first).filter(|target| target.first() != Some(first))
            {
                path = [&target[..], &path[1..]].concat();
            } else if ["crate", "self", "super"].contains(&first.as_str()) {
                return Some(Meaning { package: Some(scanned.package), name: path.pop()?, foreign: false });
            } else if let Some(package) = externs.get(first).filter(|_| path.len() > 1) {
                return Some(Meaning { package: Some(*package), name: path.pop()?, foreign: false });
            } else {
                break;
            }
        }
        Some(Meaning { package: None, foreign: path.len() > 1, name: path.pop()? })
    }

    /// What a package exports under a name that another declares.
    fn export(&self, package: usize, name: &str) -> Option<(usize, &Name)> {
        let mut files = self.files.iter().enumerate().filter(|(_, file)| file.package == package);
        files.find_map(|(position, file)| {
            let target = file.survey.imports.get(name)?;
            (target.len() > 1).then_some((position, target))
        })
    }
}

fn scanned(position: usize, package: &OpPackage, source: Source) -> Result<ScannedFile, Failure> {
    let survey = survey(&source.file)
        .map_err(|mistakes| Failure::Mistakes { path: source.shown().into(), mistakes })?;
    let path: &Path = source.path.strip_prefix(&package.folder).unwrap_or(&source.path);
    Ok(ScannedFile { package: position, path: path.display().to_string(), survey })
}

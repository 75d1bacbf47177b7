//! The table, before it is written as text, Markdown or HTML.

use opswitch_codegen::survey::Gradient;

/// The whole table.
pub(crate) struct Coverage {
    pub(crate) package: String,
    pub(crate) sections: Vec<Section>,
    /// What the scan could not see, and where.
    pub(crate) notes: Vec<String>,
}

/// The ops of one dispatch, or those that no dispatch routes.
pub(crate) struct Section {
    pub(crate) dispatch: Option<Head>,
    pub(crate) backends: Vec<Column>,
    pub(crate) groups: Vec<Group>,
}

/// A dispatch.
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) place: String,
    pub(crate) autodiff: bool,
}

/// A backend.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) condition: Option<String>,
}

/// The ops of one trait.
pub(crate) struct Group {
    pub(crate) trait_: String,
    pub(crate) place: String,
    pub(crate) rows: Vec<Row>,
}

/// One op.
pub(crate) struct Row {
    pub(crate) op: String,
    pub(crate) condition: Option<String>,
    /// One for each backend.
    pub(crate) cells: Vec<Cell>,
    pub(crate) gradient: Gradient,
}

/// What a backend has for an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A method in its `impl`.
    Kernel,
    /// An `impl` without the method, which the trait has a body for; one for every backend, with `backends = any`.
    DefaultBody,
    /// Neither.
    Missing,
    /// Perhaps something that a macro writes, or that was not scanned.
    Unknown,
}

impl Cell {
    pub(crate) const ALL: [Self; 4] = [Self::Kernel, Self::DefaultBody, Self::Missing, Self::Unknown];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::DefaultBody => "default body",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }
}

/// The word for how a gradient is found, and which inputs have one and which have none.
pub(crate) fn gradient_words(gradient: &Gradient) -> (&'static str, Option<String>) {
    let inputs = match gradient {
        Gradient::Formula(inputs) => inputs,
        Gradient::None => return ("none", None),
        Gradient::DefaultBody => return ("default body", None),
        Gradient::HandWritten => return ("hand-written", None),
    };
    let names = |differentiable: bool| -> Vec<&str> {
        let inputs = inputs.iter().filter(|input| input.differentiable == differentiable);
        inputs.map(|input| input.name.as_str()).collect()
    };
    let detail = match (names(true), names(false)) {
        (with, without) if without.is_empty() => with.join(", "),
        (with, without) if with.is_empty() => format!("none: {}", without.join(", ")),
        (with, without) => format!("{}; none: {}", with.join(", "), without.join(", ")),
    };
    ("formula", Some(detail))
}

impl Coverage {
    /// How many cells there are of a kind.
    pub(crate) fn count(&self, cell: Cell) -> usize {
        let rows = self.sections.iter().flat_map(|section| &section.groups).flat_map(|group| &group.rows);
        rows.flat_map(|row| &row.cells).filter(|found| **found == cell).count()
    }

    /// Each word for a cell with the number of cells, as in `3 kernel, 1 missing`.
    pub(crate) fn summary(&self) -> String {
        let counts = Cell::ALL.map(|cell| (self.count(cell), cell.word()));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }
}

impl Section {
    /// The heading: the dispatch, or that there is none.
    pub(crate) fn title(&self) -> &str {
        self.dispatch.as_ref().map_or("Routed by no dispatch here", |head| &head.name)
    }

    /// Where the dispatch is declared, and whether it trains.
    pub(crate) fn subtitle(&self) -> String {
        match &self.dispatch {
            Some(Head { place, autodiff: true, .. }) => format!("{place}, with autodiff"),
            Some(Head { place, autodiff: false, .. }) => format!("{place}, without autodiff"),
            None => "an app adds them with `extend_dispatch!`".to_owned(),
        }
    }
}

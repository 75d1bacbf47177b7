//! The table as GitHub's Markdown.

use std::fmt::Write;

use super::coverage::{Cell, Coverage, Group, Row, Section, gradient_words};

pub(super) fn render(coverage: &Coverage) -> String {
    let mut out = format!("# Ops of `{}`\n\n{}.\n", coverage.package, coverage.summary());
    for section in &coverage.sections {
        let _ = write!(out, "\n## {}\n\n{}\n", section.title(), section.subtitle());
        for group in &section.groups {
            table(&mut out, section, group);
        }
    }
    if !coverage.notes.is_empty() {
        out.push_str("\n## Not seen\n\n");
        for note in &coverage.notes {
            let _ = writeln!(out, "- {note}");
        }
    }
    out
}

fn table(out: &mut String, section: &Section, group: &Group) {
    let _ = write!(out, "\n### {}\n\n{}\n\n", group.trait_, group.place);
    let backends = section.backends.iter().map(|column| titled(&column.name, column.condition.as_deref()));
    let header: Vec<String> =
        ["op".to_owned()].into_iter().chain(backends).chain(["gradient".to_owned()]).collect();
    line(out, &header);
    line(out, &vec!["---".to_owned(); header.len()]);
    for row in &group.rows {
        line(out, &cells(row));
    }
}

fn cells(row: &Row) -> Vec<String> {
    // What needs a look stands out, in a long table.
    let cell = |cell: &Cell| match cell {
        Cell::Kernel | Cell::DefaultBody => cell.word().to_owned(),
        Cell::Missing | Cell::Unknown => format!("**{}**", cell.word()),
    };
    let gradient = match gradient_words(&row.gradient) {
        (word, Some(detail)) => format!("{word} ({detail})"),
        (word, None) => word.to_owned(),
    };
    let op = titled(&row.op, row.condition.as_deref());
    [op].into_iter().chain(row.cells.iter().map(cell)).chain([gradient]).collect()
}

fn line(out: &mut String, cells: &[String]) {
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

/// A name, with its condition.
fn titled(name: &str, condition: Option<&str>) -> String {
    match condition {
        Some(condition) => format!("`{name}` (`{condition}`)"),
        None => format!("`{name}`"),
    }
}

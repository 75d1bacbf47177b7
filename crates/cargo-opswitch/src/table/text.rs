//! The table as aligned text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::coverage::{Cell, Coverage, Group, Row, Section, gradient_words};
use crate::highlight::paint;

const TITLE: Style = Style::new().bold();
const FAINT: Style = AnsiColor::BrightBlack.on_default();
const PLAIN: Style = Style::new();

/// Between two columns.
const GAP: usize = 2;

/// A piece of a line.
struct Piece {
    text: String,
    style: Style,
}

pub(super) fn render(coverage: &Coverage, colored: bool) -> String {
    let mut out = String::new();
    for section in &coverage.sections {
        section_text(&mut out, section, colored);
    }
    if !coverage.notes.is_empty() {
        out.push_str("Not seen:\n");
        for note in &coverage.notes {
            let _ = writeln!(out, "  {note}");
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{}", coverage.summary());
    out
}

fn section_text(out: &mut String, section: &Section, colored: bool) {
    line(
        out,
        &[piece(section.title(), TITLE), piece(&format!(" ({})", section.subtitle()), FAINT)],
        &[],
        colored,
    );
    let mut lines = vec![header(section)];
    for group in &section.groups {
        lines.push(heading(group));
        lines.extend(group.rows.iter().map(row));
    }
    let widths = widths(&lines);
    for pieces in &lines {
        line(out, pieces, &widths, colored);
    }
    out.push('\n');
}

fn piece(text: &str, style: Style) -> Piece {
    Piece { text: text.to_owned(), style }
}

fn header(section: &Section) -> Vec<Piece> {
    let backends = section
        .backends
        .iter()
        .map(|column| piece(&titled(&column.name, column.condition.as_deref()), TITLE));
    [piece("", PLAIN)].into_iter().chain(backends).chain([piece("gradient", TITLE)]).collect()
}

fn heading(group: &Group) -> Vec<Piece> {
    vec![piece(&group.trait_, TITLE), piece(&format!(" ({})", group.place), FAINT)]
}

fn row(row: &Row) -> Vec<Piece> {
    let cells = row.cells.iter().map(|cell| piece(cell.word(), style(*cell)));
    let gradient = match gradient_words(&row.gradient) {
        (word, Some(detail)) => format!("{word} ({detail})"),
        (word, None) => word.to_owned(),
    };
    let op = piece(&format!("  {}", titled(&row.op, row.condition.as_deref())), PLAIN);
    [op].into_iter().chain(cells).chain([piece(&gradient, PLAIN)]).collect()
}

/// A name, with its condition.
fn titled(name: &str, condition: Option<&str>) -> String {
    match condition {
        Some(condition) => format!("{name} [{condition}]"),
        None => name.to_owned(),
    }
}

fn style(cell: Cell) -> Style {
    match cell {
        Cell::Kernel => AnsiColor::Green.on_default(),
        Cell::DefaultBody => AnsiColor::Cyan.on_default(),
        Cell::Missing => AnsiColor::Red.on_default().bold(),
        Cell::Unknown => AnsiColor::Yellow.on_default(),
    }
}

/// The width of each column. A heading spans them all.
fn widths(lines: &[Vec<Piece>]) -> Vec<usize> {
    let columns = lines[0].len();
    let rows = || lines.iter().filter(|line| line.len() == columns);
    (0..columns).map(|column| rows().map(|row| row[column].text.width()).max().unwrap_or(0)).collect()
}

/// Writes a line of pieces, aligned if there is one for each width.
fn line(out: &mut String, pieces: &[Piece], widths: &[usize], colored: bool) {
    for (position, Piece { text, style }) in pieces.iter().enumerate() {
        out.push_str(&if colored { paint(text, *style) } else { text.clone() });
        if pieces.len() == widths.len() && position + 1 < pieces.len() {
            out.push_str(&" ".repeat(widths[position] - text.width() + GAP));
        }
    }
    out.push('\n');
}

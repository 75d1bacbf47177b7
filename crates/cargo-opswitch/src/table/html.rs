//! The table as one page of HTML that needs no other file.
//!
//! Colour, sign and word say the same, so that each is enough alone.

use std::fmt::{self, Display, Write};

use super::coverage::{Cell, Coverage, Group, Row, Section, gradient_words};

const STYLE: &str = include_str!("table.css");

pub(super) fn render(coverage: &Coverage) -> String {
    let mut out = String::new();
    let title = format!("Ops of {}", coverage.package);
    let _ = writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{0}</h1>\n<p>{1}.</p>\n</header>",
        Escaped(&title),
        Escaped(&coverage.summary()),
    );
    legend(&mut out);
    for section in &coverage.sections {
        section_html(&mut out, section);
    }
    notes(&mut out, &coverage.notes);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn legend(out: &mut String) {
    out.push_str(
        "<details open>\n<summary>What the words mean</summary>\n<h3>Backends</h3>\n<dl class=\"legend\">\n",
    );
    for cell in Cell::ALL {
        let _ = writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", Badge(cell), meaning(cell));
    }
    out.push_str("</dl>\n<h3>Gradients</h3>\n<dl class=\"legend\">\n");
    for (word, meaning) in GRADIENTS {
        let _ = writeln!(out, "<div><dt>{word}</dt><dd>{meaning}</dd></div>");
    }
    out.push_str("</dl>\n</details>\n");
}

fn meaning(cell: Cell) -> &'static str {
    match cell {
        Cell::Kernel => "the backend’s <code>impl</code> of the trait has the method",
        Cell::DefaultBody => "the <code>impl</code> leaves the op to the body in the trait",
        Cell::Missing => "no kernel was found",
        Cell::Unknown => "perhaps a macro writes it, which a scan of sources does not see",
    }
}

const GRADIENTS: [(&str, &str); 4] = [
    ("formula", "by <code>#[backward { .. }]</code>, for the inputs named"),
    ("default body", "through the ops that the body in the trait calls"),
    (
        "hand-written",
        "the trait has no <code>#[backward]</code>; its <code>impl</code> for <code>Autodiff</code> is written by hand",
    ),
    ("none", "not differentiable"),
];

fn section_html(out: &mut String, section: &Section) {
    let _ = write!(
        out,
        "<section>\n<h2>{0}</h2>\n<p>{1}</p>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">\n<table>\n<thead>\n<tr><th scope=\"col\">op</th>",
        Escaped(section.title()),
        Prose(&section.subtitle()),
    );
    for column in &section.backends {
        let _ = write!(out, "<th scope=\"col\">{}</th>", Titled(&column.name, column.condition.as_deref()));
    }
    out.push_str("<th scope=\"col\">gradient</th></tr>\n</thead>\n");
    for group in &section.groups {
        body(out, group, section.backends.len() + 2);
    }
    out.push_str("</table>\n</div>\n</section>\n");
}

fn body(out: &mut String, group: &Group, columns: usize) {
    let _ = writeln!(
        out,
        "<tbody>\n<tr class=\"trait\"><th scope=\"rowgroup\" colspan=\"{columns}\">{} <small>{}</small></th></tr>",
        Escaped(&group.trait_),
        Escaped(&group.place),
    );
    for row in &group.rows {
        row_html(out, row);
    }
    out.push_str("</tbody>\n");
}

fn row_html(out: &mut String, row: &Row) {
    let _ = write!(out, "<tr><th scope=\"row\">{}</th>", Titled(&row.op, row.condition.as_deref()));
    for cell in &row.cells {
        let _ = write!(out, "<td>{}</td>", Badge(*cell));
    }
    let (word, detail) = gradient_words(&row.gradient);
    let _ = write!(out, "<td>{word}");
    if let Some(detail) = detail {
        let _ = write!(out, " <small>{}</small>", Escaped(&detail));
    }
    out.push_str("</td></tr>\n");
}

fn notes(out: &mut String, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Not seen</h2>\n<ul>\n");
    for note in notes {
        let _ = writeln!(out, "<li>{}</li>", Prose(note));
    }
    out.push_str("</ul>\n</section>\n");
}

/// A text of which no character means anything to HTML.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A text in which code stands between backticks.
struct Prose<'a>(&'a str);

impl Display for Prose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, span) in self.0.split('`').map(Escaped).enumerate() {
            if position % 2 == 1 { write!(f, "<code>{span}</code>")? } else { span.fmt(f)? }
        }
        Ok(())
    }
}

/// A name, with its condition in small.
struct Titled<'a>(&'a str, Option<&'a str>);

impl Display for Titled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(self.0))?;
        match self.1 {
            Some(condition) => write!(f, " <small>{}</small>", Escaped(condition)),
            None => Ok(()),
        }
    }
}

/// The word of a cell, with a sign before it.
struct Badge(Cell);

impl Display for Badge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (class, sign) = match self.0 {
            Cell::Kernel => ("kernel", "●"),
            Cell::DefaultBody => ("default", "◐"),
            Cell::Missing => ("missing", "✕"),
            Cell::Unknown => ("unknown", "?"),
        };
        write!(f, "<span class=\"{class}\"><i aria-hidden=\"true\">{sign}</i> {}</span>", self.0.word())
    }
}

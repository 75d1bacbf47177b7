//! A page for a terminal: titles in bold, code in colours.

use anstyle::{AnsiColor, Style};

use super::pages::Page;
use crate::highlight::{self, paint};

const TITLE: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();

/// The page, in colours or as Markdown. Lines of examples that only their test needs are left out.
pub(super) fn page(page: &Page, colored: bool) -> String {
    let blocks = page.text.split("```").enumerate();
    let texts = blocks.map(|(position, text)| match (position % 2 == 1, colored) {
        (true, _) => block(text, colored),
        (false, true) => prose(text),
        (false, false) => text.to_owned(),
    });
    texts.collect()
}

/// A block of code, which starts with its language.
fn block(text: &str, colored: bool) -> String {
    let (language, code) = text.split_once('\n').unwrap_or((text, ""));
    let language = language.split(',').next().unwrap_or_default();
    let code = visible(code, language);
    match language {
        _ if !colored => format!("```{language}\n{code}\n```"),
        "rust" => indented(&highlight::rust(&code)),
        _ => indented(&code.lines().map(|line| paint(line, CODE)).collect::<Vec<_>>().join("\n")),
    }
}

/// Without the lines that rustdoc hides.
fn visible(code: &str, language: &str) -> String {
    let hidden = |line: &&str| language == "rust" && (*line == "#" || line.trim_start().starts_with("# "));
    code.lines().filter(|line| !hidden(line)).collect::<Vec<_>>().join("\n")
}

fn indented(code: &str) -> String {
    let lines = code.lines().map(|line| format!("    {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

fn prose(text: &str) -> String {
    text.split('\n').map(prose_line).collect::<Vec<_>>().join("\n")
}

fn prose_line(line: &str) -> String {
    if let Some(title) = line.strip_prefix('#') {
        return paint(title.trim_start_matches('#').trim(), TITLE);
    }
    let spans = line.split('`').enumerate();
    spans
        .map(|(position, span)| if position % 2 == 1 { paint(span, CODE) } else { span.to_owned() })
        .collect()
}

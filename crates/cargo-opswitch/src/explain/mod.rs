//! `cargo opswitch explain`

mod find;
mod pages;
mod render;

use std::io::{IsTerminal, Read};

use self::{
    find::{find, nearest},
    pages::{PAGES, Page},
};
use crate::{
    error::Failure,
    options,
    output::{is_colored, print},
};

pub(crate) fn run(options: &options::Explain) -> Result<(), Failure> {
    if options.list {
        return print(&list());
    }
    let line =
        if options.line.is_empty() || options.line == ["-"] { from_input()? } else { options.line.join(" ") };
    let page = PAGES.iter().find(|page| page.slug == line.trim()).or_else(|| find(&line));
    match page {
        Some(page) => print(&render::page(page, is_colored())),
        None => Err(unknown(&line)),
    }
}

fn from_input() -> Result<String, Failure> {
    let mut input = std::io::stdin();
    if input.is_terminal() {
        let message = "write the error line, as in `cargo opswitch explain 'No tensor input to select a backend from.'`; `--list` shows all pages";
        return Err(Failure::Refused(message.to_owned()));
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| Failure::Read { path: "standard input".into(), error })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Each page with the lines that it explains.
fn list() -> String {
    let entry = |page: &Page| {
        let lines = page.lines().map(|line| format!("    {line}"));
        let lines: Vec<String> = [page.slug.to_owned()].into_iter().chain(lines).collect();
        lines.join("\n") + "\n"
    };
    PAGES.iter().map(entry).collect::<Vec<_>>().join("\n")
}

fn unknown(line: &str) -> Failure {
    let message = "no page explains this line; `--list` shows all pages, and the nearest are:".to_owned();
    let suggestions =
        nearest(line).map(|(page, text)| format!("  cargo opswitch explain {:<24} # {text}", page.slug));
    let lines: Vec<String> = [message].into_iter().chain(suggestions).collect();
    Failure::Refused(lines.join("\n"))
}

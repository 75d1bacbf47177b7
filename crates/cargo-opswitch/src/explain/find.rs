//! Finding the page that explains a line.

use std::ops::Range;

use super::pages::{PAGES, Page};

/// How many pages are suggested for a line that none explains.
const SUGGESTIONS: usize = 3;

/// The page that explains the first error in a text. What stands around the error does no harm.
pub(super) fn find(text: &str) -> Option<&'static Page> {
    let text = normal(text);
    let places = lines().filter_map(|(page, line)| Some((place(&text, &pieces(line))?, page)));
    // Of two lines that start together, one is longer, and says more.
    places.min_by_key(|(place, _)| (place.start, usize::MAX - place.end)).map(|(_, page)| page)
}

/// The pages whose lines are most like one of the lines of a text, each with that line.
pub(super) fn nearest(text: &str) -> impl Iterator<Item = (&'static Page, &'static str)> {
    let text: Vec<String> = text.lines().map(normal).filter(|line| !line.is_empty()).collect();
    let likeness = |line: &str| {
        let alike = text.iter().map(|part| likeness(part, line));
        alike.max_by(f64::total_cmp).unwrap_or_default()
    };
    let mut best: Vec<(f64, &Page, &str)> = PAGES
        .iter()
        .filter_map(|page| {
            let lines = page.lines().map(|line| (likeness(line), page, line));
            lines.max_by(|lhs, rhs| lhs.0.total_cmp(&rhs.0))
        })
        .collect();
    best.sort_by(|lhs, rhs| rhs.0.total_cmp(&lhs.0));
    best.into_iter().take(SUGGESTIONS).map(|(_, page, line)| (page, line))
}

fn lines() -> impl Iterator<Item = (&'static Page, &'static str)> {
    PAGES.iter().flat_map(|page| page.lines().map(move |line| (page, line)))
}

/// How much two lines are alike: by the words they share, and by their letters.
fn likeness(text: &str, line: &str) -> f64 {
    let line = normal(line);
    let words: Vec<&str> = line.split(' ').filter(|word| word.len() > 3).collect();
    let shared = words.iter().filter(|word| text.split(' ').any(|other| other == **word)).count();
    shared as f64 / words.len().max(1) as f64 + strsim::normalized_levenshtein(text, &line)
}

/// In lower case, with one space between words.
fn normal(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fixed pieces of a line around its holes, which are written `{name}`.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        pieces.last_mut().expect("there is one").push_str(before);
        match after.split_once('}') {
            Some((name, behind)) if is_hole(name) => {
                pieces.push(String::new());
                rest = behind;
            }
            _ => {
                pieces.last_mut().expect("there is one").push('{');
                rest = after;
            }
        }
    }
    pieces.last_mut().expect("there is one").push_str(rest);
    pieces.iter().map(|piece| piece.to_lowercase()).collect()
}

fn is_hole(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

/// Where the pieces stand, in order, with something in each hole. Several places are tried for the first piece.
fn place(text: &str, pieces: &[String]) -> Option<Range<usize>> {
    let (first, rest) = pieces.split_first()?;
    text.match_indices(first.as_str()).find_map(|(start, _)| {
        let mut end = start + first.len();
        let mut before = first;
        for piece in rest {
            let hole = text[end..].find(piece.as_str()).filter(|len| *len > 0)?;
            // What stands between backticks holds none.
            if before.ends_with('`') && text[end..end + hole].contains('`') {
                return None;
            }
            end += hole + piece.len();
            before = piece;
        }
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_names_in_braces() {
        assert_eq!(pieces("on {backend}."), ["on ", "."]);
        assert_eq!(pieces("`#[backward { x => grad; }]` of {op}"), ["`#[backward { x => grad; }]` of ", ""]);
        assert_eq!(pieces("{a}{b"), ["", "{b"]);
    }

    #[test]
    fn a_hole_is_not_empty() {
        let pieces = pieces("on {backend}.");
        assert_eq!(place("it is on cpu.", &pieces), Some(6..13));
        assert_eq!(place("it is on .", &pieces), None);
        assert_eq!(place("it is on ", &pieces), None);
    }

    #[test]
    fn a_hole_between_backticks_ends_at_the_next() {
        let pieces = pieces("`{type}` crosses");
        assert_eq!(place("unused `x`; `Camera` crosses", &pieces), Some(12..28));
    }

    #[test]
    fn every_page_is_found_by_each_of_its_lines() {
        for (page, line) in lines() {
            let pasted = pieces(line).join("Npu");
            let found = find(&format!("error: {pasted}\n  --> src/lib.rs:1:1")).map(|page| page.slug);
            assert_eq!(found, Some(page.slug), "{line}");
        }
    }

    /// The messages of the compile-fail tests, which are what the compiler prints.
    fn messages() -> Vec<String> {
        let mut folders =
            vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ui"))];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "stderr") {
                    found.push(normal(&std::fs::read_to_string(path).unwrap()));
                }
            }
        }
        found
    }

    #[test]
    fn the_lines_of_the_compiler_are_what_it_prints() {
        let messages = messages();
        let first = PAGES.iter().position(|page| page.slug == "missing-kernels").unwrap();
        for line in PAGES[first..].iter().flat_map(Page::lines) {
            let pieces = pieces(line);
            assert!(messages.iter().any(|text| place(text, &pieces).is_some()), "no test prints `{line}`");
        }
    }
}

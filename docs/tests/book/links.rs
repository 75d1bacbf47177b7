//! Links, and the table of contents.

use super::{chapters, read};

/// The lines outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(str::lines)
}

/// The targets of the links of a text, without those that leave the book.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = prose(text).flat_map(|line| line.split("](").skip(1));
    targets.filter_map(|rest| rest.split(')').next()).filter(|target| !target.contains("://"))
}

/// The anchors that mdBook gives to the headings: words in lower case, joined by hyphens.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let chapters = chapters();
    for (chapter, text) in &chapters {
        for link in links(text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { chapter } else { file };
            let found = chapters.iter().find(|(name, _)| name == file);
            let Some((_, target)) = found else { panic!("{chapter}: there is no chapter `{file}`") };
            let leads = anchor.is_empty() || anchors(target).iter().any(|known| known == anchor);
            assert!(leads, "{chapter}: `{file}` has no heading for `#{anchor}`");
        }
    }
}

#[test]
fn every_chapter_is_listed_and_tested() {
    let (summary, lib) = (read("src/SUMMARY.md"), read("lib.rs"));
    let listed: Vec<&str> = links(&summary).collect();
    let chapters = chapters();
    assert_eq!(listed.len(), chapters.len());
    for (chapter, text) in &chapters {
        assert!(listed.contains(&&**chapter), "SUMMARY.md does not list {chapter}");
        assert!(lib.contains(&format!("\"{chapter}\"")), "lib.rs does not test {chapter}");
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let entry = format!("[{}]({chapter})", title.expect("a chapter begins with its title"));
        assert!(summary.contains(&entry), "SUMMARY.md has another title for {chapter}");
    }
}

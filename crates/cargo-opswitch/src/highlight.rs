//! Rust in colours.
//!
//! The tokens are those of `proc_macro2`, which the generator needs anyhow and which keeps the place of each; what lies
//! between two of them is white space or a comment. A grammar engine would add megabytes for the same five colours.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

const COMMENT: Style = AnsiColor::BrightBlack.on_default();
const KEYWORD: Style = AnsiColor::Magenta.on_default();
const LITERAL: Style = AnsiColor::Green.on_default();
const TYPE: Style = AnsiColor::Cyan.on_default();
const ATTRIBUTE: Style = AnsiColor::Yellow.on_default();
const FUNCTION: Style = AnsiColor::Blue.on_default();
const PLAIN: Style = Style::new();

const KEYWORDS: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match \
    mod move mut pub ref return self Self static struct super trait true type unsafe use where while";

/// The code with the escapes of a terminal; as it is, if it is not made of Rust's tokens.
pub(crate) fn rust(code: &str) -> String {
    let Ok(tokens) = code.parse::<TokenStream>() else { return code.to_owned() };
    let mut painter = Painter { code, at: 0, out: String::new() };
    painter.stream(tokens);
    painter.paint_to(code.len(), COMMENT);
    painter.out
}

/// A text in a style. White space around it has none.
pub(crate) fn paint(text: &str, style: Style) -> String {
    let core = text.trim();
    match text.find(core) {
        Some(start) if !core.is_empty() => {
            let end = start + core.len();
            format!("{}{style}{core}{style:#}{}", &text[..start], &text[end..])
        }
        _ => text.to_owned(),
    }
}

struct Painter<'a> {
    code: &'a str,
    /// How far the code is painted.
    at: usize,
    out: String,
}

impl Painter<'_> {
    fn stream(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (position, token) in tokens.iter().enumerate() {
            let next = tokens.get(position + 1);
            match token {
                TokenTree::Group(group) => {
                    self.token(&group.span_open().byte_range(), PLAIN);
                    self.stream(group.stream());
                    self.token(&group.span_close().byte_range(), PLAIN);
                }
                TokenTree::Ident(ident) => self.token(&ident.span().byte_range(), ident_style(ident, next)),
                TokenTree::Literal(literal) => self.token(&literal.span().byte_range(), LITERAL),
                TokenTree::Punct(punct) => {
                    let range = punct.span().byte_range();
                    match next {
                        Some(TokenTree::Group(group)) if punct.as_char() == '#' => {
                            self.attribute(range.start..group.span().byte_range().end);
                        }
                        _ => self.token(&range, PLAIN),
                    }
                }
            }
        }
    }

    /// An attribute, which a doc comment is too.
    fn attribute(&mut self, range: Range<usize>) {
        let doc = self.code.get(range.clone()).is_some_and(|text| text.starts_with('/'));
        self.token(&range, if doc { COMMENT } else { ATTRIBUTE });
    }

    fn token(&mut self, range: &Range<usize>, style: Style) {
        // What a painted attribute is made of, and delimiters that are not written, are behind us.
        if range.start >= self.at {
            self.paint_to(range.start, COMMENT);
            self.paint_to(range.end, style);
        }
    }

    fn paint_to(&mut self, end: usize, style: Style) {
        if let Some(text) = self.code.get(self.at..end) {
            self.out.push_str(&paint(text, style));
            self.at = end;
        }
    }
}

fn ident_style(ident: &Ident, next: Option<&TokenTree>) -> Style {
    let name = ident.to_string();
    match next {
        _ if KEYWORDS.split(' ').any(|keyword| name == keyword) => KEYWORD,
        _ if name.starts_with(char::is_uppercase) => TYPE,
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => FUNCTION,
        Some(TokenTree::Punct(punct)) if punct.as_char() == '!' => FUNCTION,
        _ => PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code with the name of each style before what has it.
    fn styles(code: &str) -> String {
        let names =
            [(COMMENT, "c"), (KEYWORD, "k"), (LITERAL, "l"), (TYPE, "t"), (ATTRIBUTE, "a"), (FUNCTION, "f")];
        let named = |text: String, (style, name): (Style, &str)| {
            text.replace(&style.render().to_string(), &format!("<{name}:"))
        };
        names.into_iter().fold(rust(code), named).replace(&format!("{COMMENT:#}"), ">")
    }

    #[test]
    fn each_kind_of_token_has_its_style() {
        let code = "/// Größe\n#[inline]\nfn add(x: &'a F32) -> F32 { // sum\n    x.add(1.5, \"é\")\n}\n";
        let expected = "<c:/// Größe>\n<a:#[inline]>\n<k:fn> <f:add>(x: &'a <t:F32>) -> <t:F32> { <c:// sum>\n    x.<f:add>(<l:1.5>, <l:\"é\">)\n}\n";
        assert_eq!(styles(code), expected);
    }

    #[test]
    fn nothing_is_lost_and_nothing_is_added() {
        for code in ["", "\n", "// only\n", "fn f() {}", "#![allow(x)]\n//! inner\nmod m;", "not } rust"] {
            assert_eq!(anstream::adapter::strip_str(&rust(code)).to_string(), code);
        }
    }
}

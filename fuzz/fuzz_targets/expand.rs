//! Every entry point of the code generator, with whatever it is given: options and an item, as text with a zero byte between.
#![no_main]

#[path = "../../tests/it/codegen/entry_points.rs"]
mod entry_points;

use libfuzzer_sys::{Corpus, fuzz_target};
use proc_macro2::TokenStream;

/// `syn` descends into groups by recursion, as deep as the stack allows. Nobody writes this deep.
const MAX_DEPTH: usize = 50;

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = str::from_utf8(input) else { return Corpus::Reject };
    let (options, item) = text.split_once('\0').unwrap_or(("", text));
    let (Some(options), Some(item)) = (tokens(options), tokens(item)) else { return Corpus::Reject };
    entry_points::expand_all(&options, &item);
    // Else the texts of all inputs are kept, for the spans into them.
    proc_macro2::extra::invalidate_current_thread_spans();
    Corpus::Keep
});

fn tokens(text: &str) -> Option<TokenStream> {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return None;
        }
    }
    text.parse().ok()
}

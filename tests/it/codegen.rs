//! The code generator is total: whatever tokens it is given, it answers with tokens, and with the same ones again.

mod entry_points;
mod seeds;

use std::path::Path;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use proptest::{prelude::*, sample::Index, test_runner::Config};

use self::{entry_points::expand_all, seeds::Seed};

/// Words that the macros look for, so that random tokens get further than the first of them.
const WORDS: &str = "dispatch crate families none default cfg feature unix Cpu Autodiff AutoDiff opswitch Dispatch pub \
    struct enum union trait impl fn async unsafe const type where mut self Self FloatTensor Option Vec Output Future B x \
    grad grads output shape backward op memory_bound extension r#type";
const SIGNS: &str = "#!:;,.=><&'-+*|?_$@";

/// A token of our own, since those of `proc_macro2` stay on one thread.
#[derive(Clone, Debug)]
enum Token {
    Word(&'static str),
    Sign(char, bool),
    Number(usize),
    Text,
    Group(Delimiter, Vec<Token>),
}

impl Token {
    fn tree(&self) -> TokenTree {
        match self {
            Self::Word(word) => match word.strip_prefix("r#") {
                Some(word) => Ident::new_raw(word, Span::call_site()).into(),
                None => Ident::new(word, Span::call_site()).into(),
            },
            Self::Sign('_', _) => Ident::new("_", Span::call_site()).into(),
            Self::Sign(sign, joint) => {
                Punct::new(*sign, if *joint { Spacing::Joint } else { Spacing::Alone }).into()
            }
            Self::Number(number) => Literal::usize_unsuffixed(*number).into(),
            Self::Text => Literal::string("text").into(),
            Self::Group(delimiter, tokens) => Group::new(*delimiter, stream(tokens)).into(),
        }
    }
}

fn words() -> impl Strategy<Value = Token> {
    prop::sample::select(WORDS.split_whitespace().collect::<Vec<_>>()).prop_map(Token::Word)
}

fn signs() -> impl Strategy<Value = Token> {
    (prop::sample::select(SIGNS.chars().collect::<Vec<_>>()), any::<bool>())
        .prop_map(|(sign, joint)| Token::Sign(sign, joint))
}

fn stream(tokens: &[Token]) -> TokenStream {
    tokens.iter().map(Token::tree).collect()
}

fn tokens() -> impl Strategy<Value = Vec<Token>> {
    let token = prop_oneof![
        6 => words(),
        4 => signs(),
        1 => (0_usize..4).prop_map(Token::Number),
        1 => Just(Token::Text),
    ];
    let delimiter = prop_oneof![
        Just(Delimiter::Parenthesis),
        Just(Delimiter::Brace),
        Just(Delimiter::Bracket),
        Just(Delimiter::None),
    ];
    let token = token.prop_recursive(3, 24, 6, move |token| {
        (delimiter.clone(), prop::collection::vec(token, 0..6))
            .prop_map(|(delimiter, tokens)| Token::Group(delimiter, tokens))
    });
    prop::collection::vec(token, 0..10)
}

/// A small change at one place, however deep.
#[derive(Clone, Debug)]
struct Mutation {
    place: Index,
    kind: Kind,
    token: Token,
}

#[derive(Clone, Debug)]
enum Kind {
    Delete,
    Duplicate,
    Swap,
    Replace,
    Unwrap,
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let kind = prop_oneof![
        Just(Kind::Delete),
        Just(Kind::Duplicate),
        Just(Kind::Swap),
        Just(Kind::Replace),
        Just(Kind::Unwrap)
    ];
    let mutation =
        (any::<Index>(), kind, words()).prop_map(|(place, kind, token)| Mutation { place, kind, token });
    prop::collection::vec(mutation, 1..4)
}

fn count(tokens: &TokenStream) -> usize {
    let inside = |token: TokenTree| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

impl Mutation {
    fn apply(&self, tokens: TokenStream) -> TokenStream {
        match count(&tokens) {
            0 => self.token.tree().into(),
            count => self.apply_at(tokens, &mut self.place.index(count)),
        }
    }

    /// Counts `place` down to the token to change.
    fn apply_at(&self, tokens: TokenStream, place: &mut usize) -> TokenStream {
        let mut changed = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        let mut done = false;
        while let Some(token) = tokens.next() {
            if !done && *place == 0 {
                done = true;
                *place = usize::MAX;
                match self.kind {
                    Kind::Delete => {}
                    Kind::Duplicate => changed.extend([token.clone(), token]),
                    Kind::Swap => {
                        changed.extend(tokens.next());
                        changed.push(token);
                    }
                    Kind::Replace => changed.push(self.token.tree()),
                    Kind::Unwrap => match token {
                        TokenTree::Group(group) => changed.extend(group.stream()),
                        other => changed.push(other),
                    },
                }
                continue;
            }
            *place = place.saturating_sub(usize::from(!done && *place != usize::MAX));
            changed.push(match token {
                TokenTree::Group(group) if *place != usize::MAX => {
                    TokenTree::Group(Group::new(group.delimiter(), self.apply_at(group.stream(), place)))
                }
                other => other,
            });
        }
        changed.into_iter().collect()
    }
}

/// As many cases as fit into a few seconds; `PROPTEST_CASES` asks for more.
fn config(cases: u32) -> Config {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { cases };
    Config { cases, failure_persistence: None, max_shrink_time: 10_000, ..Config::default() }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn arbitrary_tokens_expand(options in tokens(), item in tokens()) {
        expand_all(&stream(&options), &stream(&item));
    }

    /// Random tokens seldom make a trait; these stand where only the inside of one is wrong.
    #[test]
    fn arbitrary_items_expand(options in tokens(), inside in tokens(), arguments in tokens()) {
        let (inside, arguments) = (stream(&inside), stream(&arguments));
        let options = stream(&options);
        expand_all(&options, &quote::quote!(pub trait FusedOps: CoreOps { #[backward { #inside }] fn fused(#arguments) -> FloatTensor<Self>; #inside }));
        expand_all(&options, &quote::quote!(impl FusedOps for Cpu { fn fused(#arguments) {} kernels! { #inside } #inside }));
        expand_all(&options, &quote::quote!(#[extension(#inside)] pub struct Camera<B: Backend> { #arguments }));
        expand_all(&options, &quote::quote!(pub struct Dispatch;));
    }
}

fn seeds() -> Vec<Seed> {
    let seeds = seeds::of_tests(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert!(seeds.len() > 80, "only {} uses of the macros were found", seeds.len());
    seeds
}

/// What `cargo xtask fuzz` starts from.
#[test]
fn the_inputs_of_other_tests_expand() {
    for Seed { options, item } in seeds() {
        expand_all(&options.parse().unwrap(), &item.parse().unwrap());
    }
}

#[test]
fn mutated_inputs_expand() {
    let seeds = seeds();
    let mut runner = proptest::test_runner::TestRunner::new(config(500));
    let seed = prop::sample::select(seeds);
    let inputs = (seed, mutations(), mutations());
    let result = runner.run(&inputs, |(seed, of_options, of_item)| {
        let parse = |text: &str| text.parse::<TokenStream>().expect("it came from tokens");
        let (options, item) = (parse(&seed.options), parse(&seed.item));
        expand_all(&options, &of_item.iter().fold(item.clone(), |tokens, mutation| mutation.apply(tokens)));
        expand_all(&of_options.iter().fold(options, |tokens, mutation| mutation.apply(tokens)), &item);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

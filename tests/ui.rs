//! What does not compile, and what the compiler says then: one file a rule, in folders by kind.
//!
//! `TRYBUILD=overwrite cargo test -p opswitch-tests --test ui` writes the `.stderr` files anew; read what changes.

#[test]
fn diagnostics() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
}

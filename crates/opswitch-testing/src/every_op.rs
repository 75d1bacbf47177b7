//! A list of ops against those of a trait, while the tests compile.

use opswitch_core::__private::OpTrait;

/// Fails to compile if an op of the trait is not in the list, or the list has a name that is no op of it.
///
/// # Panics
///
/// In those cases; in a constant, that is a compile error.
#[doc(hidden)]
pub const fn assert_every_op_is_listed(trait_: &OpTrait, listed: &[&str]) {
    let mut position = 0;
    while position < trait_.ops.len() {
        let name = trait_.ops[position].name();
        if !contains(listed, name) {
            Message::new()
                .with("the op `")
                .with(name)
                .with("` has no samples; add `")
                .with(name)
                .with("(..) => [sample!(..)];` to the list, or `")
                .with(name)
                .with(" elsewhere;` if other tests have it")
                .raise();
        }
        position += 1;
    }
    let mut position = 0;
    while position < listed.len() {
        if !has_op(trait_, listed[position]) {
            Message::new().with("the trait has no op `").with(listed[position]).with("`").raise();
        }
        position += 1;
    }
}

const fn has_op(trait_: &OpTrait, name: &str) -> bool {
    let mut position = 0;
    while position < trait_.ops.len() {
        if equal(trait_.ops[position].name(), name) {
            return true;
        }
        position += 1;
    }
    false
}

const fn contains(listed: &[&str], name: &str) -> bool {
    let mut position = 0;
    while position < listed.len() {
        if equal(listed[position], name) {
            return true;
        }
        position += 1;
    }
    false
}

const fn equal(lhs: &str, rhs: &str) -> bool {
    let (lhs, rhs) = (lhs.as_bytes(), rhs.as_bytes());
    if lhs.len() != rhs.len() {
        return false;
    }
    let mut position = 0;
    while position < lhs.len() {
        if lhs[position] != rhs[position] {
            return false;
        }
        position += 1;
    }
    true
}

/// A text that is put together at compile time, where `format!` is not to be had.
struct Message {
    bytes: [u8; 512],
    len: usize,
}

impl Message {
    const fn new() -> Self {
        Self { bytes: [0; 512], len: 0 }
    }

    const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut position = 0;
        while position < text.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = text[position];
            self.len += 1;
            position += 1;
        }
        self
    }

    const fn raise(&self) -> ! {
        let (text, _) = self.bytes.split_at(self.len);
        match std::str::from_utf8(text) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("an op has no samples"),
        }
    }
}

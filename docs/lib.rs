//! The guide of opswitch. The book is in `src`; here its code blocks become doc tests.

macro_rules! chapters {
    ($($name:ident = $file:literal;)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!(concat!("src/", $file))]
        struct $name;
    )*};
}

// rustdoc compiles all blocks as one crate. Two that export one macro would end that, and each be compiled by itself, which takes
// three times as long. Dispatches in the book are therefore private, and library traits have a name each.
chapters! {
    Introduction = "introduction.md";
    FirstOp = "first-op.md";
    Gradients = "gradients.md";
    Testing = "testing.md";
    Gpu = "gpu.md";
    OwnBackend = "backend.md";
    OpLibraries = "op-libraries.md";
    Signatures = "signatures.md";
    Reviewing = "reviewing.md";
    Errors = "errors.md";
    Messages = "messages.md";
    FromBurn = "from-burn.md";
}

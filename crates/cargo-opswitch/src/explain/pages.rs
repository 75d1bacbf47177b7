//! The pages, which are files in `pages/`: a title, then the lines of errors that the page explains, with `{name}` for what
//! differs, then what they mean, why they happen and what to change.

/// A page of Markdown.
pub(crate) struct Page {
    /// The name of its file, without `.md`.
    pub(crate) slug: &'static str,
    pub(crate) text: &'static str,
}

impl Page {
    /// The lines that it explains: those of its first block of code.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'static str> + use<> {
        let block = self.text.split("```").nth(1).unwrap_or_default();
        block.lines().skip(1).filter(|line| !line.is_empty())
    }
}

macro_rules! pages {
    ($($name:ident $slug:literal;)*) => {
        /// Every page: first the errors of a dispatch, then those of the compiler.
        pub(crate) const PAGES: &[Page] =
            &[$(Page { slug: $slug, text: include_str!(concat!("../../pages/", $slug, ".md")) }),*];

        // The examples of the pages run as doc tests.
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../pages/", $slug, ".md"))]
            mod $name {}
        )*
    };
}

pages! {
    wrong_backend "wrong-backend";
    wrong_device "wrong-device";
    wrong_autodiff_backend "wrong-autodiff-backend";
    not_autodiff "not-autodiff";
    device_wrapped_twice "device-wrapped-twice";
    tensor_wrapped_twice "tensor-wrapped-twice";
    no_tensor "no-tensor";
    unsupported_backend "unsupported-backend";
    autodiff_disabled "autodiff-disabled";
    mixed_devices "mixed-devices";
    distributed_unsupported "distributed-unsupported";
    only_floats_are_tracked "only-floats-are-tracked";
    autodiff_context "autodiff-context";
    missing_kernels "missing-kernels";
    not_routable "not-routable";
    backend_list "backend-list";
    missing_formula "missing-formula";
    reference_inside "reference-inside";
    nothing_selects_a_backend "nothing-selects-a-backend";
}

#[cfg(test)]
mod tests {
    use opswitch_core::DispatchErrorKind::{self, *};

    use super::PAGES;

    /// Every kind of dispatch error, with the page that explains it.
    fn kinds() -> [(DispatchErrorKind, &'static str); 11] {
        [
            (DeviceWrappedTwice, "device-wrapped-twice"),
            (TensorWrappedTwice, "tensor-wrapped-twice"),
            (WrongBackend { expected: "{backend}" }, "wrong-backend"),
            (WrongAutodiffBackend { expected: "{backend}" }, "wrong-autodiff-backend"),
            (NotAutodiff { backend: "{backend}" }, "not-autodiff"),
            (WrongDevice { expected: "{device}".to_owned() }, "wrong-device"),
            (NoTensor, "no-tensor"),
            (DistributedUnsupported { device: "{device}".to_owned() }, "distributed-unsupported"),
            (MixedDevices, "mixed-devices"),
            (UnsupportedBackend, "unsupported-backend"),
            (AutodiffDisabled, "autodiff-disabled"),
        ]
    }

    #[test]
    fn the_first_lines_are_those_of_the_errors() {
        for (kind, slug) in kinds() {
            let page = PAGES.iter().find(|page| page.slug == slug).expect("the kind has a page");
            assert_eq!(page.lines().collect::<Vec<_>>(), [kind.to_string()], "{slug}");
        }
    }

    #[test]
    fn each_page_is_a_chapter() {
        for page in PAGES {
            assert!(page.text.starts_with("# "), "{} starts with a title", page.slug);
            assert!(page.text.ends_with('\n') && !page.text.ends_with("\n\n"), "{}", page.slug);
            assert!(page.lines().next().is_some(), "{} names the lines that it explains", page.slug);
            for title in ["## Why it happens", "## What to change"] {
                assert!(page.text.contains(title), "{} has no section `{title}`", page.slug);
            }
        }
    }

    #[test]
    fn every_file_is_a_page() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/pages");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut slugs: Vec<String> = PAGES.iter().map(|page| format!("{}.md", page.slug)).collect();
        files.sort();
        slugs.sort();
        assert_eq!(files, slugs);
    }
}

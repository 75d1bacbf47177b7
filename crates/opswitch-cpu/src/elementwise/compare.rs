//! The comparisons, which all element types share.

/// A comparison of two elements.
pub(crate) trait Comparison: Copy + Send + Sync {
    fn holds<E: PartialOrd>(self, lhs: E, rhs: E) -> bool;
}

macro_rules! comparisons {
    ($($name:ident $operator:tt)*) => {$(
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        impl Comparison for $name {
            #[inline]
            fn holds<E: PartialOrd>(self, lhs: E, rhs: E) -> bool {
                lhs $operator rhs
            }
        }
    )*};
}

comparisons!(Equal == NotEqual != Less < LessEqual <= Greater > GreaterEqual >=);

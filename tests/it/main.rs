//! Everything that runs, in one binary.

mod autodiff;
mod codegen;
mod errors;
mod routing;
mod snapshots;

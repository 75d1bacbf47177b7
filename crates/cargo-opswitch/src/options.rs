//! The command line.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};

/// See what opswitch makes of your ops.
#[derive(Parser)]
#[command(name = "cargo-opswitch", bin_name = "cargo opswitch", version)]
pub(crate) struct Options {
    /// When to use colours; `auto` means on a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Expand(Expand),
    Table(Table),
    Explain(Explain),
}

/// Print what the attributes emit for your traits, dispatches and derives.
///
/// The sources are read, not compiled. A trait whose dispatch is declared in one of the same files is shown with its
/// routing; else the call of the dispatch's macro stands in its place. Every `cfg` is taken to hold.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo opswitch expand                        everything in the current package
  cargo opswitch expand FusedOps               one trait of it
  cargo opswitch expand src/fused.rs FusedOps  one trait of a file")]
pub(crate) struct Expand {
    /// A source file; left out, every one of the package.
    pub(crate) file: Option<String>,
    /// One of the traits, dispatches and derives; left out, all of them.
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) package: Package,
}

/// Print which backend has a kernel for which op, and how its gradient is found.
///
/// The sources of the package, and of those of its dependencies that depend on opswitch, are scanned; nothing is compiled,
/// and every `cfg` is taken to hold. Listed are the ops of this package, of its path dependencies, and of libraries
/// whose ops they route with `extend_dispatch!`.
///
/// A kernel is a method of an `impl` of the trait. A method that a macro inside of an `impl` writes counts if the call names
/// it. What other macros write is not seen: where that may be an `impl`, the cell says `unknown`, and a note says where.
#[derive(Args)]
pub(crate) struct Table {
    #[command(flatten)]
    pub(crate) package: Package,
    /// How the table is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Write to a file instead of the terminal.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only the ops that this dispatch routes.
    #[arg(long, value_name = "NAME")]
    pub(crate) dispatch: Option<String>,
    /// The built-in op families of opswitch too.
    #[arg(long)]
    pub(crate) families: bool,
}

/// Say what an error means, why it happens, and what to change.
///
/// Paste the line as it was printed, of the compiler or of a panic; what stands around it does no harm. Without a line it is
/// read from the standard input.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo opswitch explain 'Tensor is on the wrong backend (expected cpu).'
  cargo opswitch explain wrong-backend
  cargo test 2>&1 | cargo opswitch explain")]
pub(crate) struct Explain {
    /// The error line, or the name of a page; `-` reads the standard input.
    pub(crate) line: Vec<String>,
    /// List all pages.
    #[arg(long, conflicts_with = "line")]
    pub(crate) list: bool,
}

/// Which package is looked at.
#[derive(Args)]
pub(crate) struct Package {
    /// A package of the workspace, instead of the one in the current folder.
    #[arg(short, long, value_name = "NAME")]
    pub(crate) package: Option<String>,
    /// The `Cargo.toml` to start from.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest_path: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// An aligned table.
    Text,
    /// Tables as GitHub renders them.
    Markdown,
    /// One page without any other file.
    Html,
}

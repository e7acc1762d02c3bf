//! The arguments of `export` and `import`.

use std::path::PathBuf;

use clap::Args;
use editctl::values;

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The file [default: standard output]
    pub(crate) file: Option<PathBuf>,
    /// Only this entry and later ones
    #[arg(long, value_name = "ENTRY", value_parser = values::job)]
    pub(crate) since: Option<u64>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file that `export` wrote
    pub(crate) file: PathBuf,
    /// The state folder, if the daemon was started with --state
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
}

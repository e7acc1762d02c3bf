//! The arguments of `checks`.

use clap::Args;
use editctl::values;

#[derive(Args, Debug)]
pub(crate) struct ChecksArgs {
    /// Only the checks that ran because of this job [default: the last result of every check]
    #[arg(value_parser = values::job)]
    pub(crate) job: Option<u64>,
    /// Maximum time to wait for checks that run, such as 30s [default: until they end]
    #[arg(long, value_name = "TIME", value_parser = values::patience)]
    pub(crate) timeout: Option<u64>,
}

//! The arguments of `clip`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Subcommand, Debug)]
pub(crate) enum ClipCommand {
    /// List the clipboards
    List,
    /// Print a clipboard byte for byte
    Show {
        /// The name of the clipboard
        name: String,
    },
    /// Store a text in a clipboard
    Set {
        /// The name of the clipboard
        name: String,
        /// The text, literally; standard input if neither TEXT nor --file is given
        #[arg(allow_hyphen_values = true, conflicts_with = "file")]
        text: Option<String>,
        /// Read the text from a file (- is standard input)
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Copy a clipboard
    Copy {
        /// The name of the clipboard
        name: String,
        /// The name of the copy
        to: String,
    },
    /// Remove a clipboard
    Rm {
        /// The name of the clipboard
        name: String,
    },
}

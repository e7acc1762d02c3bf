//! The edits that were refused, for a client that can only send a call again.

mod numbers;
mod syntax;

use numbers::RefusedNumbers;
use syntax::RefusedSyntax;

/// The edits that were refused.
#[derive(Default)]
pub(crate) struct RefusedEdits {
    /// For their syntax.
    pub(crate) syntax: RefusedSyntax,
    /// Since their lines had moved.
    pub(crate) numbers: RefusedNumbers,
}

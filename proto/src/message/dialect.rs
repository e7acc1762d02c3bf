//! Requests about dialects: the edit formats of other tools that the daemon understands.

use serde::{Deserialize, Serialize};

/// Asks for the list of dialects.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DialectsRequest {}

/// A dialect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DialectInfo {
    /// The name, as it is used in a payload.
    pub name: String,
    /// A description in one sentence.
    pub sentence: String,
}

/// The reply to `dialects`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DialectsReply {
    /// The dialects, in the order of the documentation.
    pub dialects: Vec<DialectInfo>,
}

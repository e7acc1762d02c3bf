//! Which ways of other tools to write edits the daemon understands.

use serde::{Deserialize, Serialize};

/// Asks which.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DialectsRequest {}

/// One of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DialectInfo {
    /// What to name it in a payload.
    pub name: String,
    /// What it is.
    pub sentence: String,
}

/// All of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DialectsReply {
    /// In the order in which they are described.
    pub dialects: Vec<DialectInfo>,
}

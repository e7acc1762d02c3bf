//! The configuration warnings that each session was sent, so that each is sent once. A restart forgets them.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::lock;
use crate::limits::WARNINGS_KEPT;

/// The warnings that sessions were given.
#[derive(Default)]
pub struct ToldWarnings(Mutex<BTreeSet<(String, String)>>);

impl ToldWarnings {
    /// Returns true if a session was not given this warning yet.
    pub fn is_new(&self, session: &str, warning: &str) -> bool {
        !lock(&self.0).contains(&(session.to_owned(), warning.to_owned()))
    }

    /// Notes that a session was given a warning.
    pub fn note(&self, session: &str, warning: &str) {
        let mut told = lock(&self.0);
        if told.len() >= WARNINGS_KEPT {
            told.clear();
        }
        told.insert((session.to_owned(), warning.to_owned()));
    }
}

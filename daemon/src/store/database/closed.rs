//! The place of a database that could not be opened again: every call says so.

use super::{Broken, Database, Row};
use crate::store::index::Changes;

/// No database.
pub struct Closed;

fn closed<T>() -> Result<T, Broken> {
    Err(Broken("it could not be opened again after it was rewritten".to_owned()))
}

impl Database for Closed {
    fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, Broken> {
        closed()
    }

    fn down(&self, _: &[u8], _: &[u8], _: usize) -> Result<Vec<Row>, Broken> {
        closed()
    }

    fn each(&self, _: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), Broken> {
        closed()
    }

    fn apply(&self, _: &Changes) -> Result<(), Broken> {
        closed()
    }

    fn flush(&self) -> Result<(), Broken> {
        closed()
    }

    fn size(&self) -> u64 {
        0
    }
}

//! The owners of requests, and what each of them holds of a shared limit. Pure; it admits and refuses nothing.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The owners of a request. A client can open many connections and name many sessions, so its requests count for its
/// connection, its session and its process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestOwner(Arc<[ShareHolder]>);

/// One of the owners of a request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ShareHolder {
    /// A connection, by its number.
    Connection(u64),
    /// A session, by its name.
    Session(Arc<str>),
    /// A process, by its id.
    Process(u32),
}

/// Counts for each owner that holds something.
#[derive(Debug)]
pub struct ShareTable<T>(HashMap<ShareHolder, T>);

impl RequestOwner {
    /// Returns the owners of the requests of a connection. `process` is absent if the system does not tell it.
    pub fn new(connection: u64, session: &str, process: Option<u32>) -> Self {
        let mut holders = vec![ShareHolder::Session(session.into()), ShareHolder::Connection(connection)];
        holders.extend(process.map(ShareHolder::Process));
        Self(holders.into())
    }

    /// Returns true if one of the owners is in so many of these requests that it has no share of `places` left.
    pub fn has_no_place<'r>(&self, places: usize, requests: impl Iterator<Item = &'r Self> + Clone) -> bool {
        self.0.iter().any(|holder| {
            let own = requests.clone().filter(|request| request.0.contains(holder)).count();
            own >= holder.share_of(places)
        })
    }

    /// Returns the owner of a job whose connection is gone.
    pub fn of_session(session: &str) -> Self {
        Self([ShareHolder::Session(session.into())].into())
    }
}

impl ShareHolder {
    /// Returns the part of a limit that it may take: half of it, or three quarters for a process, which may have many
    /// sessions.
    pub fn share_of(&self, whole: usize) -> usize {
        match self {
            Self::Process(_) => whole - whole / 4,
            Self::Connection(_) | Self::Session(_) => whole / 2,
        }
    }
}

impl fmt::Display for ShareHolder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(_) => out.write_str("this connection"),
            Self::Session(name) => write!(out, "session {name:?}"),
            Self::Process(id) => write!(out, "process {id}"),
        }
    }
}

impl<T> Default for ShareTable<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Default + PartialEq> ShareTable<T> {
    /// Returns the first owner whose share is used up, with what it holds.
    pub fn exhausted(&self, owner: &RequestOwner, is_over: impl Fn(&T) -> bool) -> Option<(ShareHolder, &T)> {
        owner.0.iter().find_map(|holder| {
            let held = self.0.get(holder).filter(|held| is_over(held))?;
            Some((holder.clone(), held))
        })
    }

    /// Returns each of the owners that holds something, with that.
    pub fn of<'t>(&'t self, owner: &'t RequestOwner) -> impl Iterator<Item = (&'t ShareHolder, &'t T)> {
        owner.0.iter().filter_map(|holder| Some((holder, self.0.get(holder)?)))
    }

    /// Returns the number of owners that hold something.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets all owners.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Changes what each owner holds. An owner that holds nothing any more is forgotten.
    pub fn change(&mut self, owner: &RequestOwner, change: impl Fn(&mut T)) {
        for holder in &*owner.0 {
            let held = self.0.entry(holder.clone()).or_default();
            change(held);
            if *held == T::default() {
                self.0.remove(holder);
            }
        }
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

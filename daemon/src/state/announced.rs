//! The changes by other tools that sessions have announced: a table that names the author of a change. Pure; the time is
//! passed in. It is lost when the daemon ends: later changes are then those of nobody.
//!
//! *Invariants*: a session has read what a call wrote only once the call has ended: a call that never ends may have claimed
//! the change of a person. A change has at most one author. A session that named its path takes precedence over sessions that
//! announced every path; of two different sessions with the same claim, neither is the author. A session has one call that
//! claims a path. A call that began long ago has probably failed: it claims no path that a recent call names.

use std::collections::{BTreeMap, BTreeSet};

use editd_proto::ids::JobId;
use editd_proto::message::NotedEntry;
use editd_proto::path::FilePath;

use crate::limits::{
    NOTE_MS, NOTE_RECENT_MS, NOTED_ENTRIES, NOTED_PATHS, NOTED_PATHS_OF_SESSION, NOTES, NOTES_OF_SESSION,
};
use crate::record::ReadReceipt;

/// The session and the name of a call. A session has one call without a name.
type CallName = (String, String);

/// The calls that have been announced and have not ended.
#[derive(Default, Debug)]
pub struct AnnouncedChanges {
    calls: BTreeMap<CallName, OpenCall>,
    /// The number of calls that were ever announced, by which the newest is found.
    count: u64,
}

/// A call of another tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnouncedCall {
    /// The program that announced it.
    pub client: String,
    /// The label of its entries.
    pub label: Option<String>,
    /// The paths that it may change, links resolved; `None` for every path.
    pub paths: Option<BTreeSet<FilePath>>,
}

impl AnnouncedCall {
    /// Returns the number of paths that it names.
    fn named(&self) -> usize {
        self.paths.as_ref().map_or(0, BTreeSet::len)
    }
}

/// A call that has ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EndedCall {
    /// The paths that were announced; `None` for every path.
    pub paths: Option<BTreeSet<FilePath>>,
    /// Its entries, oldest first.
    pub entries: Vec<NotedEntry>,
    /// The number of further entries.
    pub omitted: u64,
    /// The receipts of the session for the files that it wrote.
    pub receipts: Vec<ReadReceipt>,
}

/// The author of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangeClaim {
    /// The session.
    pub session: String,
    /// The program.
    pub client: String,
    /// The label of the entry.
    pub label: Option<String>,
    /// True if the call named the path: the session knows what it wrote there.
    pub named: bool,
    /// The receipt for the file that the session gets at the end of the call, for its changes so far.
    pub pending: Option<ReadReceipt>,
    call: String,
}

#[derive(Debug)]
struct OpenCall {
    call: AnnouncedCall,
    number: u64,
    since: u64,
    entries: Vec<NotedEntry>,
    omitted: u64,
    receipts: BTreeMap<FilePath, ReadReceipt>,
}

impl OpenCall {
    fn names(&self, path: &FilePath) -> bool {
        self.call.paths.as_ref().is_some_and(|paths| paths.contains(path))
    }
}

/// The limit that an announcement would exceed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnnouncementLimit {
    /// Announcements of all sessions.
    OfAll,
    /// Paths in all announcements.
    Paths,
}

impl AnnouncedChanges {
    /// Announces a call; one of the session with the same name ends. A session that has as many calls or paths as it may have
    /// loses its oldest calls: those of calls that a person refused have no end.
    ///
    /// # Errors
    /// The limit that it would exceed.
    pub fn begin(
        &mut self,
        session: &str,
        name: &str,
        call: AnnouncedCall,
        now: u64,
    ) -> Result<(), AnnouncementLimit> {
        self.expire(now);
        let key = (session.to_owned(), name.to_owned());
        let new = call.named();
        let ended = self.ended_by(&key, new);
        let others = || self.calls.iter().filter(|(known, _)| !ended.contains(known)).map(|(_, open)| open);
        if others().count() >= NOTES {
            return Err(AnnouncementLimit::OfAll);
        }
        let paths: usize = others().map(|open| open.call.named()).sum();
        if paths.saturating_add(new) > NOTED_PATHS {
            return Err(AnnouncementLimit::Paths);
        }
        self.calls.retain(|known, _| !ended.contains(known));
        if let Some(named) = &call.paths {
            self.take_over(&key, named);
        }
        self.count = self.count.saturating_add(1);
        let receipts = BTreeMap::new();
        let open =
            OpenCall { call, number: self.count, since: now, entries: Vec::new(), omitted: 0, receipts };
        self.calls.insert(key, open);
        Ok(())
    }

    /// Adds paths to a call that names some, and takes them over from the other calls of its session.
    pub fn add(&mut self, session: &str, name: &str, paths: &BTreeSet<FilePath>) {
        let key = (session.to_owned(), name.to_owned());
        self.take_over(&key, paths);
        if let Some(named) = self.calls.get_mut(&key).and_then(|open| open.call.paths.as_mut()) {
            named.extend(paths.iter().cloned());
        }
    }

    /// Removes paths from the other calls of a session. If the end of such a call never comes, since its tool failed or a
    /// person refused it, it claims no later change of a file that the session has changed since.
    fn take_over(&mut self, key: &CallName, paths: &BTreeSet<FilePath>) {
        for (_, open) in self.calls.iter_mut().filter(|(known, _)| known.0 == key.0 && *known != key) {
            if let Some(named) = &mut open.call.paths {
                named.retain(|path| !paths.contains(path));
            }
        }
    }

    /// Returns the calls that end when the session of `key` announces a call with this name and so many paths.
    fn ended_by(&self, key: &CallName, new: usize) -> BTreeSet<CallName> {
        let mut ended = BTreeSet::from([key.clone()]);
        let mut own: Vec<_> =
            self.calls.iter().filter(|(known, _)| known.0 == key.0 && *known != key).collect();
        own.sort_unstable_by_key(|(_, open)| std::cmp::Reverse(open.number));
        let mut paths: usize = own.iter().map(|(_, open)| open.call.named()).sum();
        while own.len() >= NOTES_OF_SESSION || paths.saturating_add(new) > NOTED_PATHS_OF_SESSION {
            let Some((oldest, open)) = own.pop() else { break };
            paths = paths.saturating_sub(open.call.named());
            ended.insert(oldest.clone());
        }
        ended
    }

    /// Returns the author of a change of a path; `None` if no session or more than one claims it.
    pub fn author(&mut self, path: &FilePath, now: u64) -> Option<ChangeClaim> {
        if self.calls.is_empty() {
            return None;
        }
        self.expire(now);
        let is_recent = |open: &OpenCall| now < open.since.saturating_add(NOTE_RECENT_MS);
        let any_recent = self.calls.values().any(|open| open.names(path) && is_recent(open));
        let is_named = |open: &OpenCall| open.names(path) && (is_recent(open) || !any_recent);
        let is_general = |open: &OpenCall| open.call.paths.is_none();
        let mut claim = self.only(&is_named, true).or_else(|| {
            let claimed = self.calls.values().any(is_named);
            if claimed { None } else { self.only(&is_general, false) }
        })?;
        let open = self.calls.get(&(claim.session.clone(), claim.call.clone()));
        claim.pending = open.and_then(|open| open.receipts.get(path)).cloned();
        Some(claim)
    }

    /// Returns true if a call that has not ended names a path.
    pub fn names(&mut self, path: &FilePath, now: u64) -> bool {
        if self.calls.is_empty() {
            return false;
        }
        self.expire(now);
        self.calls.values().any(|open| open.names(path))
    }

    /// Returns the newest of some calls, if all of them are of one session.
    fn only(&self, claims: &dyn Fn(&OpenCall) -> bool, named: bool) -> Option<ChangeClaim> {
        let claiming = || self.calls.iter().filter(|(_, open)| claims(open));
        let ((session, name), newest) = claiming().max_by_key(|(_, open)| open.number)?;
        claiming().all(|((other, _), _)| other == session).then(|| ChangeClaim {
            session: session.clone(),
            client: newest.call.client.clone(),
            label: newest.call.label.clone(),
            named,
            pending: None,
            call: name.clone(),
        })
    }

    /// Records that a change was journaled for its author, who gets the receipt at the end of the call.
    pub fn journaled(
        &mut self,
        author: &ChangeClaim,
        job: JobId,
        path: &FilePath,
        receipt: Option<ReadReceipt>,
    ) {
        let key = (author.session.clone(), author.call.clone());
        let Some(open) = self.calls.get_mut(&key) else { return };
        match receipt {
            Some(receipt) => drop(open.receipts.insert(path.clone(), receipt)),
            None => drop(open.receipts.remove(path)),
        }
        if open.entries.len() < NOTED_ENTRIES {
            open.entries.push(NotedEntry { job, path: path.clone() });
        } else {
            open.omitted = open.omitted.saturating_add(1);
        }
    }

    /// Returns the paths of a call that has not ended: `None` if it is not known, `Some(None)` for every path.
    pub fn paths(&mut self, session: &str, name: &str, now: u64) -> Option<Option<BTreeSet<FilePath>>> {
        self.expire(now);
        let key = (session.to_owned(), name.to_owned());
        self.calls.get(&key).map(|open| open.call.paths.clone())
    }

    /// Ends a call.
    pub fn end(&mut self, session: &str, name: &str) -> Option<EndedCall> {
        let ended = self.calls.remove(&(session.to_owned(), name.to_owned()))?;
        let receipts = ended.receipts.into_values().collect();
        Some(EndedCall { paths: ended.call.paths, entries: ended.entries, omitted: ended.omitted, receipts })
    }

    fn expire(&mut self, now: u64) {
        self.calls.retain(|_, open| now < open.since.saturating_add(NOTE_MS));
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn call(paths: &[&str]) -> AnnouncedCall {
        let named = (!paths.is_empty()).then(|| paths.iter().map(|path| FilePath::from(*path)).collect());
        AnnouncedCall { client: "c".into(), label: Some("l".into()), paths: named }
    }

    fn author(table: &mut AnnouncedChanges, path: &str, now: u64) -> Option<String> {
        table.author(&path.into(), now).map(|claim| claim.session)
    }

    #[test]
    fn a_change_has_the_author_that_named_it_or_the_only_one() {
        let mut table = AnnouncedChanges::default();
        assert_eq!(author(&mut table, "a", 0), None);
        table.begin("shell", "", call(&[]), 0).unwrap();
        assert_eq!(author(&mut table, "a", 1).as_deref(), Some("shell"));
        table.begin("edit", "1", call(&["a"]), 1).unwrap();
        assert_eq!(author(&mut table, "a", 2).as_deref(), Some("edit"), "it named the path");
        assert_eq!(author(&mut table, "b", 2).as_deref(), Some("shell"));
        table.begin("edit", "2", call(&["a"]), 2).unwrap();
        assert_eq!(author(&mut table, "a", 3).as_deref(), Some("edit"), "both calls are of one session");
        table.begin("other", "", call(&["a"]), 3).unwrap();
        assert_eq!(author(&mut table, "a", 4), None, "two sessions named it");
        table.begin("other", "all", call(&[]), 4).unwrap();
        assert_eq!(author(&mut table, "b", 5), None, "two sessions may have changed anything");
        assert!(table.end("other", "").is_some() && table.end("other", "all").is_some());
        assert_eq!(author(&mut table, "a", 6).as_deref(), Some("edit"));
    }

    #[test]
    fn a_call_without_an_end_expires() {
        let mut table = AnnouncedChanges::default();
        table.begin("s", "", call(&["a"]), 5).unwrap();
        assert_eq!(author(&mut table, "a", 4 + NOTE_MS).as_deref(), Some("s"));
        assert_eq!(author(&mut table, "a", 5 + NOTE_MS), None);
        assert_eq!(table.end("s", ""), None);
    }

    #[test]
    fn a_call_that_failed_claims_nothing_that_a_later_call_names() {
        let mut table = AnnouncedChanges::default();
        table.begin("s", "failed", call(&["a", "b"]), 0).unwrap();
        table.begin("s", "next", call(&["a"]), 1).unwrap();
        assert!(table.end("s", "next").is_some());
        assert_eq!(author(&mut table, "a", 2), None, "a person edits it");
        assert_eq!(author(&mut table, "b", 2).as_deref(), Some("s"));
        table.add("s", "failed", &["a".into()].into());
        assert_eq!(author(&mut table, "a", 3).as_deref(), Some("s"), "it ended after all");
        table.begin("other", "", call(&["a"]), NOTE_RECENT_MS - 1).unwrap();
        assert_eq!(author(&mut table, "a", NOTE_RECENT_MS - 1), None);
        assert_eq!(author(&mut table, "a", NOTE_RECENT_MS).as_deref(), Some("other"));
    }

    #[test]
    fn an_end_returns_the_entries_of_its_call() {
        let mut table = AnnouncedChanges::default();
        table.begin("s", "x", call(&["a"]), 0).unwrap();
        let claim = table.author(&"a".into(), 1).unwrap();
        for id in 0..NOTED_ENTRIES as u64 + 2 {
            table.journaled(&claim, JobId(id), &"a".into(), None);
        }
        let ended = table.end("s", "x").unwrap();
        assert_eq!((ended.entries.len(), ended.omitted), (NOTED_ENTRIES, 2));
        assert_eq!(ended.entries.first().unwrap().job, JobId(0));
    }

    #[test]
    fn every_limit_is_kept() {
        let mut table = AnnouncedChanges::default();
        let name = |at: usize| at.to_string();
        for at in 0..NOTES_OF_SESSION {
            table.begin("s", &name(at), call(&[]), 0).unwrap();
        }
        table.begin("s", &name(0), call(&[]), 0).unwrap();
        for at in NOTES_OF_SESSION..NOTES {
            table.begin(&name(at), "", call(&[]), 0).unwrap();
        }
        assert_eq!(table.begin("t", "", call(&[]), 0), Err(AnnouncementLimit::OfAll));
        let mut table = AnnouncedChanges::default();
        let all: Vec<String> = (0..NOTED_PATHS_OF_SESSION).map(name).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        for at in 0..NOTED_PATHS / NOTED_PATHS_OF_SESSION {
            table.begin(&name(at), "", call(&all), 0).unwrap();
        }
        table.begin("t", "", call(&[]), 0).unwrap();
        assert_eq!(table.begin("t", "", call(&["x"]), 0), Err(AnnouncementLimit::Paths));
        assert!(table.end("t", "").is_some(), "a refused announcement ends no other call");
        table.begin("t", "", call(&["x"]), NOTE_MS).unwrap();
    }

    #[test]
    fn the_oldest_calls_of_a_session_give_way_to_a_new_one() {
        let mut table = AnnouncedChanges::default();
        let name = |at: usize| at.to_string();
        table.begin("other", "", call(&["a"]), 0).unwrap();
        for at in 0..=NOTES_OF_SESSION {
            table.begin("s", &name(at), call(&[]), 1).unwrap();
        }
        assert_eq!(table.end("s", "0"), None);
        assert!(table.end("s", "1").is_some() && table.end("s", &name(NOTES_OF_SESSION)).is_some());
        let all: Vec<String> = (0..NOTED_PATHS_OF_SESSION).map(name).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        table.begin("s", "paths", call(&all), 2).unwrap();
        table.begin("s", "one path", call(&["x"]), 3).unwrap();
        assert_eq!(table.end("s", "paths"), None);
        assert!(table.end("s", "one path").is_some() && table.end("other", "").is_some());
    }
}

//! Hints about changes by other programs to the workspace's files. It reads no file except `.gitignore` and
//! `.git/info/exclude`, never changes anything, and never follows a link.
//!
//! *Calling sequence*: [`Watcher::start`] with a sink; [`Watcher::watch_folder`] for folders in which files were read
//! or written, [`Watcher::subscribe`] for globs. For each [`ChangeHint::Look`] the caller asks `Workspace::observe`, at once or,
//! if a call has announced the change, when [`PostponedPaths`] says so; likewise for [`ChangeHint::Moved`], unless the file is as a
//! job left it. It drops events that [`ReportedVersions`] has seen, and sends the others to the subscriptions of
//! [`Watcher::matches`].
//!
//! *Invariants*: every hint may be lost, late, duplicated or wrong; only timing depends on hints. Memory is bounded:
//! pending paths by `limits::WATCH_PENDING`, folders by `limits::WATCHED_FOLDERS` and `limits::SUBSCRIBED_FOLDERS`,
//! subscriptions by `limits::SUBSCRIPTIONS`. When nothing happens, nothing runs: there is no timer unless a path is
//! pending.
//!
//! *Limitations*: a change through a shared memory map, on a network file system by another machine, or through a
//! hard link in a folder that is not watched makes no event. Folders are watched one by one; if the system's limit on
//! watches is reached, this is reported once, and the other folders are not watched. Git's rules in the workspace are
//! applied (`.gitignore` files and `.git/info/exclude`), but not those in folders above it or in the user's
//! configuration.

mod watcher;

mod settle;

mod echo;

mod postponed;

mod globs;

mod ignored;

mod subjects;

mod keeper;

mod source;

mod names;

mod walk;

#[cfg(test)]
mod tests;

pub use echo::ReportedVersions;
pub use postponed::PostponedPaths;
pub use walk::files_below;
pub use watcher::{ChangeHint, Watcher};

//! A hook that reads the content and writes the new one to its standard output: the change is committed as any job's,
//! so that no reader sees the middle of it.

use std::collections::BTreeMap;

use editd_engine::State;
use editd_proto::message::{EntryKind, HookOutcome, Status};
use editd_proto::path::WirePath;

use super::stand::Stand;
use super::{Work, complaint, silent, warn};
use crate::config::CommandSpec;
use crate::disk::Sight;
use crate::disk::stage::Mode;
use crate::job::draft::{Draft, Drafted, Origin};
use crate::job::errors::Halt;
use crate::job::intend::Underway;
use crate::journal::external;
use crate::journal::recover::mend::{Aim, mend};
use crate::rooms::lock;

/// Runs a hook for every file that it is for, and commits what came out.
pub(super) fn run(work: &mut Work<'_>, hook: &CommandSpec) -> Result<HookOutcome, Halt> {
    let mut outcome = silent(hook);
    work.drop_foreign().into_iter().for_each(|told| warn(&mut outcome, told));
    let mut made = BTreeMap::new();
    for path in work.meant(hook) {
        let Some(stand) = work.stands.get(&path).cloned() else { continue };
        match work.start(hook, &path, &stand.bytes) {
            Err(told) => warn(&mut outcome, told),
            Ok(ran) => match complaint(&path, &ran) {
                Some(told) => warn(&mut outcome, told),
                // Who formats a file never means to empty it: a command that writes elsewhere would.
                None if ran.stdout.is_empty() && !stand.bytes.is_empty() => {
                    warn(
                        &mut outcome,
                        format!("{path}: it wrote nothing to standard output; the file stays"),
                    );
                }
                None if *ran.stdout == *stand.bytes => {}
                None => {
                    made.insert(path, ran.stdout);
                }
            },
        }
    }
    if !made.is_empty() {
        commit(work, hook, made, &mut outcome)?;
    }
    Ok(outcome)
}

fn commit(
    work: &mut Work<'_>,
    hook: &CommandSpec,
    made: BTreeMap<WirePath, Vec<u8>>,
    outcome: &mut HookOutcome,
) -> Result<(), Halt> {
    let draft = draft(work, hook, made, outcome);
    if draft.changes.is_empty() {
        return Ok(());
    }
    let files = draft.files.clone();
    let underway = Underway::new(work.rooms);
    match crate::job::commit(work.rooms, &underway, draft) {
        Ok(receipt) if receipt.status == Status::Applied => {
            outcome.job = receipt.job;
            for file in &files {
                if let Ok((_, Sight::File(found))) = work.look(&file.path)
                    && Some(found.face.hash.version()) == file.after
                {
                    work.stands.insert(file.path.clone(), Stand::of(&found));
                } else {
                    work.stands.remove(&file.path);
                }
            }
            outcome.files = receipt.files;
        }
        Ok(_) => {}
        Err(Halt::Stopped) => return Err(Halt::Stopped),
        Err(Halt::Refused(refusal) | Halt::Again(refusal)) => {
            warn(outcome, format!("its output was not written: {}", refusal.message));
        }
        Err(Halt::Broken(refusal)) => {
            warn(outcome, format!("its output was not written: {}", refusal.message));
            take_back(work, &underway);
        }
    }
    Ok(())
}

/// Brings a commit that broke behind its intent to an end, as recovery would.
fn take_back(work: &Work<'_>, underway: &Underway<'_>) {
    let open = work.rooms.store.open_entries();
    let Some((entry, false)) = open.into_iter().find(|(entry, _)| Some(entry.id) == underway.entry()) else {
        return;
    };
    if mend(work.rooms, &entry, Aim::TakeBack).is_err() {
        lock(&work.rooms.broken).push(entry);
    }
}

fn draft(
    work: &Work<'_>,
    hook: &CommandSpec,
    made: BTreeMap<WirePath, Vec<u8>>,
    outcome: &mut HookOutcome,
) -> Draft {
    let of = &work.sealed.draft.origin;
    let origin = Origin {
        kind: EntryKind::Hook,
        who: of.who.clone(),
        key: None,
        request: of.request,
        label: Some(external::hook_label(&hook.name)),
        of: vec![work.sealed.entry.id],
        durability: of.durability,
        queued: None,
    };
    let (mut changes, mut files, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (path, bytes) in made {
        let Some(stand) = work.stands.get(&path) else { continue };
        let (place, found) = match work.look(&path) {
            Ok((place, Sight::File(found))) if found.face.hash == stand.face.hash => (place, found),
            _ => {
                warn(outcome, format!("{path}: another program changed it meanwhile; it is left as it is"));
                continue;
            }
        };
        let old = stand.state();
        let after = State::File { bytes: bytes.into(), mode: found.face.mode };
        files.push(work.outcome(&path, &old, &after));
        if let Ok(Some(one)) = work.rooms.store.seen(&of.who.session, &path) {
            seen.insert(path.clone(), one);
        }
        let splices = match &after {
            State::File { bytes, .. } => super::in_place::splices(&found.bytes, bytes),
            State::Absent => Vec::new(),
        };
        let (added, removed) = external::lines(&splices);
        let mode = Mode::Exact(found.face.mode);
        changes.push(Drafted {
            place,
            before: Some(found),
            after,
            mode,
            splices,
            added,
            removed,
            from: None,
        });
    }
    Draft {
        origin,
        changes,
        clips: Vec::new(),
        files,
        error: None,
        seen,
        unmade: Vec::new(),
        rebased: false,
        said: None,
    }
}

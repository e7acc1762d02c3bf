//! Compares the result of a diff of one file in editd with that of the other tools, and judges whether editd is
//! right. It draws nothing.

use std::sync::Arc;

use editd_engine::dialect::{Asked, Setting, Wanted, translate};
use editd_engine::{Options, Refusal, State, World, needs, plan};
use editd_proto::message::JobRequest;
use editd_proto::path::WirePath;

use super::damage::{Damage, PatchText};
use super::tools::Tools;

/// A diff and what it is applied to.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The content that the diff was made of.
    pub base: String,
    /// The content that the author made of it.
    pub author: String,
    /// The present content.
    pub there: String,
    /// The diff as it is sent.
    pub diff: String,
    /// The damage to the diff since it was made.
    pub damage: Damage,
}

/// The difference between editd and the other tools.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judged {
    /// The result of editd is the clean merge.
    Merged,
    /// The result of editd is that of another tool; there is no clean merge, or it is something else.
    AsOthers,
    /// The changes touch each other, and every hunk replaced the only place that has its lines.
    Touching,
    /// The headers have no numbers, and every hunk replaced the only place that has its lines: others changed the place
    /// that was meant, and nothing says so.
    Unnumbered,
    /// Refused, as by a tool beside it.
    Refused,
    /// Refused, where both other tools write the clean merge.
    Needless,
    /// Refused, where both other tools write something, but no clean merge.
    Careful,
    /// Written, and none of the above.
    Wrong,
}

/// Returns the result of a payload: each path that it changes, with `None` for a file that is gone.
///
/// # Errors
/// The refusal.
pub fn planned(payload: &str, files: &[(&str, &str)]) -> Result<Vec<(String, Option<String>)>, Refusal> {
    let setting = Setting { path: None, roots: &[], limit: usize::MAX };
    let Asked::Job(Wanted { files: entries, .. }) = translate(Some("unified-diff"), payload, &setting)?.asked
    else {
        panic!("a diff asks for no view");
    };
    let job = JobRequest { files: entries, ..JobRequest::default() };
    let mut world = World::default();
    for path in needs(&job)?.paths {
        world.files.insert(path, State::Absent);
    }
    for (path, content) in files {
        let bytes = Arc::from(content.as_bytes());
        world.files.insert(WirePath::from(*path), State::File { bytes, mode: 0o644 });
    }
    let plan = plan(&job, &world, &Options::default())?;
    let text = |state: State| match state {
        State::File { bytes, .. } => Some(String::from_utf8_lossy(&bytes).into_owned()),
        State::Absent => None,
    };
    Ok(plan.changes.into_iter().map(|change| (change.path.to_string(), text(change.after))).collect())
}

/// Applies a diff in every tool.
pub fn judge(tools: &Tools, trial: &Trial) -> (Judged, String) {
    let made = planned(&trial.diff, &[("f", &trial.there)]);
    let merged = tools.merge(&trial.there, &trial.base, &trial.author);
    let others = [tools.git_apply(&trial.there, &trial.diff), tools.gnu_patch(&trial.there, &trial.diff)];
    let written = match made {
        Ok(changes) => changes.into_iter().next().map_or(Some(trial.there.clone()), |(_, after)| after),
        Err(refusal) => {
            let all =
                |content: &Option<String>| others.iter().all(|other| other.is_some() && other == content);
            let judged = match &merged {
                merged if merged.is_some() && all(merged) => Judged::Needless,
                _ if others.iter().all(Option::is_some) => Judged::Careful,
                _ => Judged::Refused,
            };
            return (judged, refusal.message.clone());
        }
    };
    let judged = if written == merged {
        Judged::Merged
    } else if others.contains(&written) {
        Judged::AsOthers
    } else if merged.is_none() && (written == only_places(trial) || written == tools.union(trial)) {
        Judged::Touching
    } else if trial.damage == Damage::Bare && written == only_places(trial) {
        Judged::Unnumbered
    } else {
        Judged::Wrong
    };
    (judged, written.unwrap_or_default())
}

/// Returns the content if each hunk replaces the lines at the place that it names, or else at the only place that has
/// just its lines.
fn only_places(trial: &Trial) -> Option<String> {
    let mut lines: Vec<&str> = trial.there.lines().collect();
    let patch = PatchText::read(&trial.diff);
    let mut found: Vec<(usize, &super::damage::HunkText)> = Vec::new();
    for hunk in &patch.hunks {
        let old = hunk.side('-');
        let named = usize::try_from(hunk.numbers[0]).ok()?.checked_sub(1);
        if let Some(place) = named.filter(|at| lines.get(*at..*at + old.len()) == Some(&old)) {
            found.push((place, hunk));
            continue;
        }
        let mut places = lines.windows(old.len().max(1)).enumerate();
        let place = places.by_ref().find(|(_, window)| *window == old)?.0;
        if places.any(|(_, window)| window == old) {
            return None;
        }
        found.push((place, hunk));
    }
    found.sort_by_key(|(place, _)| *place);
    for (place, hunk) in found.into_iter().rev() {
        lines.splice(place..place + hunk.side('-').len(), hunk.side('+'));
    }
    let mut text = lines.join("\n");
    if trial.there.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}

//! Several refusals of one job as one error: the first, with the rest beside it.

use std::collections::BTreeSet;

use editd_engine::{Options, Refusal};
use editd_proto::limits::OTHER_ERRORS;
use editd_proto::path::WirePath;

use super::judge::Judged;
use super::unread;
use crate::rooms::Rooms;
use crate::workspace::Who;

/// The first of some refusals, with the others in it.
pub(super) fn gathered(refusals: Vec<Refusal>) -> Option<Refusal> {
    let mut refusals = refusals.into_iter();
    let first = refusals.next()?;
    Some(Box::new(first.beside(refusals.map(|refusal| *refusal))))
}

/// The refusal of a job some of whose files are refused, with that of the files whose lines its session has not seen:
/// they are looked for now, so that the job need not be sent once more to learn of them.
pub(super) fn report(rooms: &Rooms, who: &Who, judged: &mut Judged, mut refusals: Vec<Refusal>) -> Refusal {
    let refused: BTreeSet<WirePath> = refusals.iter().filter_map(|refusal| refusal.path.clone()).collect();
    judged.where_seen.retain(|path| !refused.contains(path));
    if !judged.where_seen.is_empty() && refusals.len() < OTHER_ERRORS {
        let mut rest = judged.snapshot.request.clone();
        rest.partial = true;
        rest.diff = Some(false);
        rest.files.retain(|entry| judged.where_seen.contains(&entry.path));
        let world = &judged.snapshot.world;
        let options = Options { room: Some(judged.room), ..rooms.options(world.files.keys()) };
        if let Ok(plan) = editd_engine::plan(&rest, world, &options) {
            refusals.extend(unread::of_plan(rooms, who, &plan, judged));
        }
    }
    gathered(refusals).unwrap_or_else(|| super::fault("a job was refused for no reason"))
}

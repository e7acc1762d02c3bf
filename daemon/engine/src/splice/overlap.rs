//! Sorts places and finds the conflicts between them. It never resolves a conflict.

use super::place::Place;

/// Compares places at one offset: first the edits whose matched text ends there, then the insertions by their kind
/// and in the order of the request, then the edits whose matched text starts there.
fn class(place: &Place) -> u8 {
    let at = place.guard().start();
    match (place.guard().is_empty(), place.matched.is_empty()) {
        (false, _) => 3,
        (true, true) => 1,
        (true, false) if place.matched.end() == at => 0,
        (true, false) => 2,
    }
}

/// Returns true if two matched texts share a byte, or if one insertion lies strictly inside the other's match.
fn share(a: &Place, b: &Place) -> bool {
    match (a.matched.is_empty(), b.matched.is_empty()) {
        (true, true) => false,
        (false, false) => a.matched.start().max(b.matched.start()) < a.matched.end().min(b.matched.end()),
        (true, false) => b.matched.start() < a.matched.start() && a.matched.start() < b.matched.end(),
        (false, true) => a.matched.start() < b.matched.start() && b.matched.start() < a.matched.end(),
    }
}

/// Returns true if `b`, which is sorted after `a`, touches what `a` guards.
fn conflict(a: &Place, b: &Place) -> bool {
    if a.edit == b.edit {
        return false;
    }
    let (end, start) = (a.guard().end(), b.guard().start());
    end > start || (end == start && share(a, b))
}

/// Sorts places into the order of their texts in the result. Returns every edit that conflicts with another one, each
/// with one such edit.
///
/// This takes one pass with constant state: a place can only conflict with the place that reaches furthest, with the
/// last two replacements, or with insertions at its own offset. A place that conflicts with any other earlier place
/// also conflicts with one of these.
pub(crate) fn arrange(places: &mut [Place]) -> Vec<(u32, u32)> {
    places.sort_by_key(|place| (place.guard().start(), class(place), place.kind, place.edit));
    let mut found = Vec::new();
    let mut furthest: Option<&Place> = None;
    let mut last: [Option<&Place>; 2] = [None, None];
    let mut insertions: Vec<&Place> = Vec::new();
    for place in places.iter() {
        let before = found.len();
        for other in [furthest, last[0], last[1]].into_iter().flatten() {
            if conflict(other, place) && found.last() != Some(&(other.edit, place.edit)) {
                found.push((other.edit, place.edit));
            }
        }
        if place.matched.is_empty() {
            if insertions.last().is_some_and(|other| other.guard().start() != place.guard().start()) {
                insertions.clear();
            }
            insertions.push(place);
        } else {
            // An edit is reported once.
            insertions.retain(|other| {
                let clash = conflict(other, place);
                if clash {
                    found.push((other.edit, place.edit));
                }
                !clash && other.guard().start() >= place.guard().start()
            });
            last = [Some(place), last[0]];
        }
        debug_assert!(found.len() >= before);
        if furthest.is_none_or(|other| other.guard().end() < place.guard().end()) {
            furthest = Some(place);
        }
    }
    found
}

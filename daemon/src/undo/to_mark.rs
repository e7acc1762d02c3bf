//! Finds the mark that an undo names. It only reads the journal.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;

use crate::limits::MARKS_LISTED;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;

/// Returns the number of the newest mark with a name.
///
/// # Errors
/// `not_found` if no mark has the name.
pub(super) fn mark_of(state: &WorkspaceState, name: &str) -> Result<JobId, Refusal> {
    let (mut found, mut others) = (None, Vec::<String>::new());
    let see = &mut |id: JobId, label: String| {
        if label == name {
            found = Some(id);
        } else if others.len() < MARKS_LISTED && !others.contains(&label) {
            others.push(label);
        }
        found.is_none()
    };
    state.store.marks(see).map_err(|error| store_refusal(&error))?;
    found.ok_or_else(|| unknown(name, &others))
}

/// The refusal of a name without a mark: it lists the newest marks, those with a similar name first.
fn unknown(name: &str, others: &[String]) -> Refusal {
    let message = if others.is_empty() {
        format!("there is no mark {name:?}, and no other: `editctl mark NAME` makes one before the changes")
    } else {
        let mut near: Vec<&String> = others.iter().collect();
        near.sort_by_key(|other| !is_near(name, other));
        let near: Vec<String> = near.iter().map(|other| format!("{other:?}")).collect();
        format!("there is no mark {name:?}; the marks are {}", near.join(", "))
    };
    Box::new(RequestError::new(ErrorCode::NotFound, message))
}

fn is_near(name: &str, other: &str) -> bool {
    let (name, other) = (name.to_lowercase(), other.to_lowercase());
    name.contains(&other) || other.contains(&name) || {
        let common = name.chars().zip(other.chars()).take_while(|(one, two)| one == two).count();
        common * 2 >= name.chars().count()
    }
}

/// The refusal of an undo that finds nothing behind its mark.
pub(super) fn nothing_behind(name: &str, mark: JobId) -> Refusal {
    let message = format!("nothing that matches was changed after the mark {name:?} (entry {mark})");
    Box::new(RequestError::new(ErrorCode::NotFound, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_with_a_similar_name_come_first() {
        let others = ["release".to_owned(), "Before-refactoring".to_owned()];
        let message = unknown("before-refactor", &others).message;
        assert!(message.ends_with("the marks are \"Before-refactoring\", \"release\""), "{message}");
        assert!(unknown("a", &[]).message.contains("editctl mark NAME"));
    }
}

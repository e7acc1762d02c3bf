//! The resource `editd://session/diff`: the changes of the session in all workspaces, as one unified diff for a
//! person who reviews them. For each path it compares the content before the first edit of the session with the content
//! after the last one.
//!
//! *Limitations*: those of [`editctl::journal::net`]. The journal may have dropped the first edits of a long session.

use editctl::journal::entries::{EntryFilter, matching};
use editctl::journal::{net, patch};
use editctl::show::letters::one_line;
use rmcp::model::{Resource, ResourceContents};

use crate::context::{CallContext, CallRefusal, CallTarget};

/// The address of the resource.
pub(crate) const URI: &str = "editd://session/diff";

/// The type of the resource.
const TYPE: &str = "text/x-diff";

/// Maximum number of bytes of a file whose lines are compared.
const FILE: u64 = 4 << 20;

/// Maximum number of bytes of the diff. Files beyond it are named without their changes.
const DIFF: usize = 4 << 20;

/// Returns the description for runtimes.
pub(crate) fn describe() -> Resource {
    Resource::new(URI, "session diff")
        .with_description("The changes of this session as one diff; undone edits are left out.")
        .with_mime_type(TYPE)
}

/// Returns the diff of the session: first the usual workspace, then the others, each after a line with its root.
///
/// # Errors
/// A daemon cannot be reached, or refuses a request.
pub(crate) fn read(context: &CallContext) -> Result<ResourceContents, CallRefusal> {
    let mut text = String::new();
    for target in context.all_workspaces() {
        let before = text.len();
        add(&mut text, context, &target)?;
        if let Some(root) = target.other_root().filter(|_| text.len() > before) {
            text.insert_str(before, &format!("# in {}\n", one_line(&root.display().to_string())));
        }
    }
    Ok(ResourceContents::text(text, URI).with_mime_type(TYPE))
}

/// Appends the diff of the session in a workspace.
fn add(text: &mut String, context: &CallContext, target: &CallTarget<'_>) -> Result<(), CallRefusal> {
    let caller = target.caller();
    let filter = EntryFilter { session: Some(context.session().to_owned()), since: None };
    let list = matching(&caller, &filter)?;
    let spans = net::spans(&list, |entry| net::modes(&caller, entry))?;
    for span in net::with_renames(&caller, spans)? {
        let change = net::change(&caller, target.workspace(), &span, FILE)?;
        let path = span.path.display();
        // A resource is text.
        let shown =
            patch::of(&change).and_then(|diff| String::from_utf8(diff).map_err(|_| patch::NoPatch::Binary));
        match shown {
            Ok(diff) if text.len() + diff.len() <= DIFF => text.push_str(&diff),
            Ok(_) => text.push_str(&format!("# {path} was changed; this diff would be too long\n")),
            Err(why) => text.push_str(&format!("# {path} was changed; it is not shown: {why}\n")),
        }
    }
    Ok(())
}

//! Retention in the background: one thread that shortens the journal when the log has grown, or when it is asked to. It is
//! apart from the other background work, since relaxed jobs must be flushed in time however long retention takes.

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::limits;
use crate::queue::WorkspaceRequests;
use crate::sync::lock;

/// The thread that shortens the journal.
pub(super) struct RetentionThread {
    workspace: Arc<dyn WorkspaceRequests>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl RetentionThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(workspace: Arc<dyn WorkspaceRequests>) -> io::Result<Self> {
        let own = Arc::clone(&workspace);
        let thread = std::thread::Builder::new().name("retention".to_owned()).stack_size(limits::STACK);
        let thread = thread.spawn(move || while own.retain() {})?;
        Ok(Self { workspace, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread after what it does. Later calls do nothing.
    pub(super) fn stop(&self) {
        let Some(thread) = lock(&self.thread).take() else { return };
        self.workspace.end_retention();
        if thread.join().is_err() {
            tracing::error!("internal error while shortening the journal");
        }
    }
}

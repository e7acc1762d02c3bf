//! Clients that connect while the daemon starts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::error::ErrorCode;
use editd_proto::message::kind;

use super::kit::{Client, hello, listening, runtime_of};
use crate::ipc::StartingListener;
use crate::progress::{StartProgress, StartStep};

#[test]
fn a_client_of_a_long_start_learns_the_progress_and_is_accepted_afterwards() {
    let runtime = runtime_of(1);
    let (folder, listener) = listening(&runtime);
    let path = folder.path().join("s.sock");
    let progress = StartProgress::default();
    let starting = StartingListener::begin(runtime.handle(), listener, progress.clone(), |_| {});
    for done in [3, 4] {
        progress.set(StartStep::Recovering { jobs: 2, done, files: 9 });
        let mut client = Client::connect(&path);
        client.send(1, kind::HELLO, &hello());
        let error = client.last_error(0);
        assert_eq!(error.code, ErrorCode::Starting);
        let shown = format!("recovering 2 interrupted jobs, {done} of 9 files");
        assert!(error.message.contains(&shown), "{}", error.message);
    }
    let listener = starting.end(&runtime).unwrap();
    let _late = Client::connect(&path);
    assert!(runtime.block_on(listener.accept()).is_ok());
}

#[test]
fn a_client_of_a_short_start_is_accepted() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (folder, listener) = listening(&runtime);
    let path = folder.path().join("s.sock");
    let starting = StartingListener::begin(runtime.handle(), listener, StartProgress::default(), |_| {});
    let _early = Client::connect(&path);
    let listener = starting.end(&runtime).unwrap();
    assert!(runtime.block_on(listener.accept()).is_ok());
}

//! Sockets: accepts connections, reads frames, sends replies and events. It decodes requests and leaves everything
//! else to `queue` and the workspace; it never touches a workspace file.
//!
//! *Calling sequence*: [`ClientListener`] on a claimed or inherited socket, [`StartingListener`] while the workspace is
//! opened, then [`serve()`] until the server is told to stop. Each connection sends `hello`, then requests. A worker thread decodes a frame, gives a job its place, runs
//! it and writes the reply itself, so that a request costs one thread switch.
//!
//! *Invariants*: a connection's jobs enter the queue in the order of its frames; a client that is slow, silent,
//! hostile or dead costs bounded memory and delays no other client; no process or session has all the connections or
//! threads; a refused client gets a typed error before the connection is closed.
//!
//! *Limitations*: on Windows another user could create the pipe's name first, so that no daemon can listen there; a client
//! checks the pipe's owner.

mod brief;
pub mod checks;
pub mod connection;
pub mod dispatch;
pub mod encode;
pub mod inbox;
pub mod outbox;
mod partial;
mod places;
mod requests;
pub mod serve;
pub mod server;
pub mod session;
pub mod starting;
pub mod subscriptions;
mod terse;
#[cfg(all(test, unix))]
mod tests;
mod threads;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

pub use checks::CheckProvider;
pub use serve::serve;
pub use server::{DaemonInfo, Server, StopSignal};
pub use starting::StartingListener;
pub use subscriptions::{EventSink, Subscription, SubscriptionProvider};
#[cfg(unix)]
pub use unix::{ClientListener, ClientStream, ListenError, SocketClaim, SocketName, claim};
#[cfg(windows)]
pub use windows::{ClientListener, ClientStream, ListenError, SocketClaim, SocketName, claim};

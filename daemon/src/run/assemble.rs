//! Assembles the daemon from its parts, runs it, and shuts it down. The parts are made in other modules.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use editd_proto::message::{FileEdit, JobRequest};
use editd_proto::socket_path;
use tokio::runtime::Runtime;

use super::background::BackgroundWork;
use super::checks::CheckThreads;
use super::error::RunError;
use super::folders::StateLock;
use super::listening::{InheritedSocket, ListenSource, inherited};
use super::log_checker::LogChecker;
use super::retention::RetentionThread;
use super::watching::ChangeReporter;
use super::{defaults, folders, idle, import, logs, nearby, salvage, settings, signals, supervisor};
use crate::caller::Caller;
use crate::clock::{Clock, SystemClock};
use crate::config::{self, DaemonArgs, DaemonEnvironment, Settings};
use crate::ipc::server::ConnectionsState;
use crate::ipc::{self, ClientListener, DaemonInfo, ListenError, Server, SocketClaim, StopSignal};
use crate::limits;
use crate::os::Os;
use crate::progress::StartProgress;
use crate::queue::{ActivityCounter, AdmissionGate, JobQueue, WorkspaceRequests};
use crate::record::QueuedJobRecord;
use crate::store::{DatabaseBackend, StoreOptions};
#[cfg(unix)]
use crate::validate::process;
use crate::workspace::{Recovered, Workspace};

/// Runs the process from command line to exit status. 0: a clean end; 1: it could not serve, or was ended early; 2:
/// the command line is wrong; [`socket_path::OCCUPIED`]: another daemon serves the workspace.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    if std::env::args_os().skip(1).eq([process::SUPERVISE]) {
        return process::supervise();
    }
    // This comes first, before any other file can get its number.
    let inherited = inherited();
    editd_engine::count_parser_memory();
    let args = DaemonArgs::parse();
    logs::start(args.log_level);
    if args.salvage {
        return salvage::run(&args, machine());
    }
    if args.show_settings {
        return defaults::run(&args);
    }
    if let Some(file) = &args.import {
        return import::run(&args, file, machine());
    }
    match inherited.map_err(RunError::from).and_then(|socket| serve(&args, socket)) {
        Ok(code) => code,
        Err(why) => {
            tracing::error!("{why}");
            match why {
                // The process that started this one finds the other daemon.
                RunError::Listen(ListenError::Served(_)) => ExitCode::from(socket_path::OCCUPIED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn serve(args: &DaemonArgs, socket: Option<InheritedSocket>) -> Result<ExitCode, RunError> {
    let signals = signals::install()?;
    let root = folders::workspace(args.workspace.as_deref())?;
    let loaded = config::load(&root)?;
    let around = DaemonEnvironment::read();
    let state = config::state_folder(args.state.as_deref(), &around, &root).ok_or(RunError::Homeless)?;
    let source = match socket {
        Some(socket) => ListenSource::Handed(socket),
        // No thread may run before the process is confined.
        None => ListenSource::Claimed(claim(args, &around, &root, &without_threads()?)?),
    };
    let state = folders::state(&state)?;
    let locked = folders::lock_state(&state, source.address().as_deref(), &root)?;
    let (trusted, write, mut sources) = settings::as_trusted(loaded, &machine(), &state, &root);
    let mut settings = args.over(trusted);
    let socket = source.address().unwrap_or_default();
    sources.note_given(args, &around, matches!(source, ListenSource::Handed(_)));
    sources.note_values(&settings, args, [&root, &state, &socket]);
    settings.sources = Arc::new(sources);
    settings.named = folders::named(args.workspace.as_deref(), &root);
    settings.confinement = settings::confine(&settings, &root, &state, source.address().as_deref(), &write);
    let runtime = runtime()?;
    let stop = Arc::new(StopSignal::default());
    // From here on a signal is a stop request; before there is a server, ending at once costs nothing.
    runtime.spawn(signals.pass_on(Arc::clone(&stop)));

    let states = config::state_folder(None, &around, &root).and_then(|own| Some(own.parent()?.to_owned()));
    for other in nearby::served(&root, states.as_deref()) {
        tracing::warn!(other = %other.display(), "another editd serves a folder above or below this one");
    }

    let open =
        ServerInputs { root, states, state, locked, settings, clock: Arc::new(SystemClock::start()), stop };
    let (built, mut listener) = open.build(&runtime, source)?;
    let clean = runtime.block_on(built.serve_until_stopped(&mut listener));
    Ok(shut_down(runtime, built, listener, clean))
}

/// Returns a runtime that runs everything on the calling thread.
fn without_threads() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(limits::IO_THREADS)
        .max_blocking_threads(limits::THREADS)
        .thread_keep_alive(Duration::from_millis(limits::IDLE_THREAD_MS))
        .thread_stack_size(limits::STACK)
        .thread_name("worker")
        .enable_all()
        .build()
}

#[cfg(unix)]
fn claim(
    args: &DaemonArgs,
    around: &DaemonEnvironment,
    root: &Path,
    runtime: &Runtime,
) -> Result<SocketClaim, RunError> {
    if args.socket.is_none() {
        ipc::unix::own_folder(&socket_path::socket_folder(&socket_environment(around)))?;
    }
    Ok(runtime.block_on(ipc::claim(&address(args, around, root)?))?)
}

#[cfg(unix)]
fn socket_environment(around: &DaemonEnvironment) -> socket_path::SocketEnvironment<'_> {
    let uid = rustix::process::geteuid().as_raw();
    socket_path::SocketEnvironment { runtime_dir: around.runtime_dir.as_deref(), uid }
}

/// Returns the path of the socket of a workspace.
#[cfg(unix)]
pub(super) fn address(
    args: &DaemonArgs,
    around: &DaemonEnvironment,
    root: &Path,
) -> Result<PathBuf, RunError> {
    Ok(match &args.socket {
        Some(path) => socket_path::check_length(std::path::absolute(path)?)?,
        None => socket_path::socket(&socket_environment(around), root)?,
    })
}

#[cfg(windows)]
fn claim(
    args: &DaemonArgs,
    around: &DaemonEnvironment,
    root: &Path,
    runtime: &Runtime,
) -> Result<SocketClaim, RunError> {
    Ok(runtime.block_on(ipc::claim(&address(args, around, root)?))?)
}

/// Returns the path of the pipe of a workspace.
#[cfg(windows)]
pub(super) fn address(args: &DaemonArgs, _: &DaemonEnvironment, root: &Path) -> Result<PathBuf, RunError> {
    Ok(match &args.socket {
        Some(path) => path.clone(),
        None => PathBuf::from(socket_path::pipe(&editd_proto::windows_user::security_id()?, root)),
    })
}

#[cfg(unix)]
fn machine() -> Arc<dyn Os> {
    Arc::new(crate::os::unix::Unix)
}
#[cfg(windows)]
fn machine() -> Arc<dyn Os> {
    Arc::new(crate::os::windows::Windows)
}

/// The parts from which a server is built.
struct ServerInputs {
    root: PathBuf,
    /// The folder with the state folders of all workspaces of the user.
    states: Option<PathBuf>,
    state: PathBuf,
    locked: StateLock,
    settings: Settings,
    clock: Arc<dyn Clock>,
    stop: Arc<StopSignal>,
}

/// A server and its background threads.
struct RunningServer {
    server: Arc<Server>,
    background: Arc<BackgroundWork>,
    watching: Arc<ChangeReporter>,
    checks: Arc<CheckThreads>,
    checker: Arc<LogChecker>,
    retention: Arc<RetentionThread>,
    idle_exit: Option<Duration>,
    /// Released before the claim, for which the next daemon waits.
    _locked: StateLock,
}

impl ServerInputs {
    fn build(
        self,
        runtime: &Runtime,
        source: ListenSource,
    ) -> Result<(RunningServer, ClientListener), RunError> {
        let Self { root, states, state, locked, settings, clock, stop } = self;
        let (idle_exit, durability) = (settings.idle_exit, settings.durability);
        let os = machine();
        let options = store_options(&state, &settings);
        let progress = options.progress.clone();
        let (workspace, recovered, listener) = source.listen_while(runtime, progress, || {
            Workspace::open(Arc::clone(&os), &root, &state, options, settings, Arc::clone(&clock))
        })?;
        let handle = runtime.handle().clone();
        let workspace: Arc<dyn WorkspaceRequests> = Arc::new(workspace);
        let watching = ChangeReporter::start(Arc::clone(&workspace), &*os, Arc::clone(&clock), &root)?;
        let (activity, gate) = (ActivityCounter::new(), AdmissionGate::new());
        let checks = CheckThreads::new(
            Arc::clone(&workspace),
            Arc::clone(&watching),
            Arc::clone(&activity),
            handle.clone(),
        );
        let background = BackgroundWork::start(
            Arc::clone(&workspace),
            Arc::clone(&clock),
            Arc::clone(&watching),
            Arc::clone(&checks),
            listener.name(),
            Arc::clone(&stop),
        )?;
        let retention = Arc::new(RetentionThread::start(Arc::clone(&workspace))?);
        let checker = Arc::new(LogChecker::start(Arc::clone(&workspace), Arc::clone(&watching))?);
        let queue = JobQueue::new(
            Arc::clone(&workspace),
            Arc::clone(&background) as _,
            Arc::clone(&activity),
            durability,
            handle.clone(),
        );
        let info = daemon_info(&root, listener.address(), &state);
        let server = Arc::new(Server {
            metrics: workspace.metrics(),
            workspace,
            queue,
            gate,
            activity,
            events: Arc::clone(&background) as _,
            connections: ConnectionsState::new(&*clock),
            clock,
            subscriptions: Arc::clone(&watching) as _,
            checks: Arc::clone(&checks) as _,
            info,
            nearby: Box::new(move || nearby::served(&root, states.as_deref())),
            stop,
            runtime: handle,
        });
        resume(&server, recovered);
        let built = RunningServer {
            server,
            background,
            watching,
            checks,
            checker,
            retention,
            idle_exit,
            _locked: locked,
        };
        Ok((built, listener))
    }
}

fn daemon_info(root: &Path, socket: &Path, state: &Path) -> DaemonInfo {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    DaemonInfo { workspace: text(root), socket: text(socket), state: text(state) }
}

fn store_options(state: &Path, settings: &Settings) -> StoreOptions {
    StoreOptions {
        database: DatabaseBackend::Sled(state.join("sled")),
        segment: limits::SEGMENT,
        contents: settings.keep_contents,
        background: true,
        progress: StartProgress::default(),
    }
}

/// Logs the notes of recovery, and queues the detached jobs of an earlier daemon.
fn resume(server: &Server, recovered: Recovered) {
    for note in recovered.notes {
        tracing::warn!(note, "recovery");
    }
    for queued in recovered.queued {
        if let Err(why) = run_again(server, &queued) {
            tracing::error!(job = queued.id.0, why, "a detached job cannot be run again");
            // Clients that wait for it learn this, and no later start tries again.
            if let Err(why) = server.workspace.cancel(queued.id) {
                tracing::error!(job = queued.id.0, %why, "it cannot be cancelled either");
            }
        }
    }
}

fn run_again(server: &Server, queued: &QueuedJobRecord) -> Result<(), String> {
    let request: JobRequest = rmp_serde::from_slice(&queued.payload).map_err(|why| why.to_string())?;
    let caller = Caller::of_session(&queued.session, &queued.client);
    // The approximate size in memory, by which a client's request is counted.
    let maps: usize = request.files.iter().map(|file| file.edits.len() + 1).sum();
    let bytes = queued.payload.len().saturating_add(maps.saturating_mul(size_of::<FileEdit>()));
    let pass = server.gate.requeue(&queued.session, bytes);
    server.queue.requeue(queued.id, caller, request, pass);
    Ok(())
}

impl RunningServer {
    /// Serves until the end. Returns true if it was a clean one.
    async fn serve_until_stopped(&self, listener: &mut ClientListener) -> bool {
        let server = &self.server;
        tracing::info!(workspace = server.info.workspace, socket = server.info.socket, "serving");
        supervisor::notify(true);
        let alone = async {
            idle::left_alone(&server.activity, self.idle_exit).await;
            tracing::info!("the idle time has passed; stopping");
            server.stop.ask_once();
            std::future::pending::<()>().await;
        };
        // `end` joins both, so that a daemon that has nothing left to do also reports that it is stopping.
        let leaving = async {
            server.stop.parsed().await;
            self.checks.stop();
            supervisor::notify(false);
        };
        let end = async {
            tokio::join!(leaving, ipc::serve(listener, server));
            // Detached jobs that had begun.
            server.activity.idle().await;
            self.watching.stop();
            let (background, checker) = (Arc::clone(&self.background), Arc::clone(&self.checker));
            let (retention, checks) = (Arc::clone(&self.retention), Arc::clone(&self.checks));
            let finish = move || {
                checks.join();
                checker.stop();
                retention.stop();
                background.finish();
            };
            // A panic there was reported when it happened.
            let _ = server.runtime.spawn_blocking(finish).await;
        };
        tokio::select! {
            () = end => true,
            () = server.stop.hurried() => false,
            () = alone => false,
        }
    }
}

/// Releases the parts of the server, the claim last.
fn shut_down(runtime: Runtime, built: RunningServer, listener: ClientListener, clean: bool) -> ExitCode {
    if !clean {
        tracing::warn!("ended before its work was done; the next start recovers");
        // Does not wait for threads that are still working: recovery finishes their work.
        std::process::exit(1);
    }
    let claim = listener.close();
    let kept = built.server.take_kept();
    // The remaining tasks and threads hold only parts of the server.
    runtime.shutdown_timeout(Duration::from_secs(1));
    drop(built);
    drop(claim);
    tracing::info!("stopped");
    // The clients that requested the stop wait until the system closes these connections at the end of the process.
    std::mem::forget(kept);
    ExitCode::SUCCESS
}

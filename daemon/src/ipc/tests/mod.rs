//! Real sockets in temporary folders against a fake workspace: the server under test, and a simple client.

mod claims;
mod hostile;
mod lines;
mod slow;
mod starting;
mod talk;

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
mod kit {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};
    use std::thread::JoinHandle;
    use std::time::Duration;

    use editd_engine::Refusal;
    use editd_proto::RequestError;
    use editd_proto::codec::{self, FrameReader, Message};
    use editd_proto::ids::JobId;
    use editd_proto::message::{
        CheckOutcome, ChecksRequest, FileEntry, Hello, JobRequest, ReadRequest, SubscribeRequest, kind,
    };
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use tokio::runtime::{Builder, Handle, Runtime};
    use tokio::sync::watch;

    use crate::caller::Caller;
    use crate::clock::{Clock, SystemClock};
    use crate::ipc::server::ConnectionsState;
    use crate::ipc::{
        CheckProvider, ClientListener, DaemonInfo, EventSink, Server, StopSignal, Subscription,
        SubscriptionProvider, claim, serve,
    };
    use crate::limits;
    use crate::queue::tests::fake::{self, FakeWorkspace};
    use crate::queue::{ActivityCounter, AdmissionGate, JobQueue, WorkspaceRequests};

    /// The only check ran for the job 8, which was queued as 7. It has ended when that was asked for the third time.
    #[derive(Default)]
    struct FakeChecks {
        resolved: AtomicU64,
        asked: AtomicU64,
        ended: watch::Sender<u64>,
    }

    impl CheckProvider for FakeChecks {
        fn resolve(&self, request: ChecksRequest) -> ChecksRequest {
            self.resolved.fetch_add(1, Ordering::Relaxed);
            let entry = |job| if job == JobId(7) { JobId(8) } else { job };
            ChecksRequest { job: request.job.map(entry), ..request }
        }
        fn is_running(&self, _: &Caller, request: &ChecksRequest) -> bool {
            self.ended.send_modify(|count| *count += 1);
            request.job == Some(JobId(8)) && self.asked.fetch_add(1, Ordering::Relaxed) < 2
        }
        fn results(&self, _: &Caller, request: &ChecksRequest) -> Result<Vec<CheckOutcome>, Refusal> {
            let check = format!("resolved {} times", self.resolved.load(Ordering::Relaxed));
            let jobs: Vec<JobId> = request.job.into_iter().collect();
            Ok(vec![CheckOutcome { check, jobs, ..CheckOutcome::default() }])
        }
        fn ends(&self) -> watch::Receiver<u64> {
            self.ended.subscribe()
        }
    }

    #[derive(Default)]
    pub(crate) struct Watchers(pub(crate) Arc<Mutex<Vec<Arc<EventSink>>>>);

    struct Watching(Arc<Mutex<Vec<Arc<EventSink>>>>, Arc<EventSink>);

    impl Subscription for Watching {}

    impl Drop for Watching {
        fn drop(&mut self) {
            self.0.lock().unwrap().retain(|sink| !Arc::ptr_eq(sink, &self.1));
        }
    }

    impl SubscriptionProvider for Watchers {
        fn subscribe(
            &self,
            _: &SubscribeRequest,
            sink: Arc<EventSink>,
        ) -> Result<(Box<dyn Subscription>, u64), Refusal> {
            self.0.lock().unwrap().push(Arc::clone(&sink));
            Ok((Box::new(Watching(Arc::clone(&self.0), sink)), 3))
        }
        fn folders(&self) -> u64 {
            3
        }
    }

    /// A server that runs on its own thread.
    pub(crate) struct Served {
        pub(crate) folder: tempfile::TempDir,
        pub(crate) server: Arc<Server>,
        pub(crate) fake: Arc<FakeWorkspace>,
        pub(crate) sinks: Arc<Mutex<Vec<Arc<EventSink>>>>,
        thread: Option<JoinHandle<()>>,
        time: Option<std::sync::mpsc::Sender<()>>,
    }

    impl Served {
        /// Starts it on a runtime like the daemon's.
        pub(crate) fn start() -> Self {
            Self::on(|| runtime_of(2))
        }

        /// Starts it with time stopped until it is released; then time advances at once whenever all tasks wait for
        /// it.
        pub(crate) fn in_a_hurry() -> Self {
            let (hold, held) = std::sync::mpsc::channel::<()>();
            let mut served = Self::on(move || {
                let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
                // Time does not advance by itself while a blocking thread is at work.
                runtime.spawn_blocking(move || held.recv());
                runtime
            });
            served.time = Some(hold);
            served
        }

        pub(crate) fn let_time_pass(&mut self) {
            self.time = None;
        }

        fn on(runtime: impl FnOnce() -> Runtime + Send + 'static) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let socket = folder.path().join("s.sock");
            let fake = Arc::new(FakeWorkspace::default());
            let watchers = Watchers::default();
            let sinks = Arc::clone(&watchers.0);
            let (to, from) = std::sync::mpsc::channel();
            let workspace = Arc::clone(&fake);
            let thread = std::thread::spawn(move || {
                let runtime = runtime();
                let server = server(workspace, watchers, runtime.handle().clone());
                runtime.block_on(async {
                    let mut listener = ClientListener::listen(claim(&socket).await.unwrap()).unwrap();
                    to.send(Arc::clone(&server)).unwrap();
                    serve(&mut listener, &server).await;
                });
            });
            Self { folder, server: from.recv().unwrap(), fake, sinks, thread: Some(thread), time: None }
        }

        pub(crate) fn socket(&self) -> PathBuf {
            self.folder.path().join("s.sock")
        }

        pub(crate) fn stranger(&self) -> Client {
            Client::connect(&self.socket())
        }

        pub(crate) fn client(&self) -> Client {
            let mut client = self.stranger();
            client.send(0, kind::HELLO, &hello());
            assert_eq!(client.receive().kind(), kind::HELLO);
            client
        }

        /// Waits until the server has stopped.
        pub(crate) fn ended(mut self) {
            self.thread.take().unwrap().join().unwrap();
        }
    }

    impl Drop for Served {
        fn drop(&mut self) {
            self.let_time_pass();
            // A test that failed has released nothing, and the server waits for its jobs.
            self.fake.let_all_go();
            self.server.stop.ask();
            if let Some(thread) = self.thread.take() {
                let ended = thread.join();
                assert!(std::thread::panicking() || ended.is_ok());
            }
        }
    }

    /// Returns a runtime like the daemon's, with this number of threads.
    pub(crate) fn runtime_of(threads: usize) -> Runtime {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(threads).max_blocking_threads(limits::WORKERS + 16).enable_all();
        builder.build().unwrap()
    }

    /// Returns a listener at `s.sock` in a folder of its own.
    pub(crate) fn listening(runtime: &Runtime) -> (tempfile::TempDir, ClientListener) {
        let folder = tempfile::tempdir().unwrap();
        let _inside = runtime.enter();
        let claimed = runtime.block_on(claim(&folder.path().join("s.sock"))).unwrap();
        (folder, ClientListener::listen(claimed).unwrap())
    }

    fn server(workspace: Arc<FakeWorkspace>, watchers: Watchers, runtime: Handle) -> Arc<Server> {
        let activity = ActivityCounter::new();
        let events = Arc::new(fake::NoEvents);
        let durability = editd_proto::message::Durability::Durable;
        let queue =
            JobQueue::new(workspace.clone(), events.clone(), activity.clone(), durability, runtime.clone());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        Arc::new(Server {
            metrics: workspace.metrics(),
            workspace,
            queue,
            gate: AdmissionGate::new(),
            activity,
            events,
            connections: ConnectionsState::new(&*clock),
            clock,
            subscriptions: Arc::new(watchers),
            checks: Arc::new(FakeChecks::default()),
            info: DaemonInfo { workspace: "/workspace".into(), ..DaemonInfo::default() },
            nearby: Box::new(Vec::new),
            stop: Arc::new(StopSignal::default()),
            runtime,
        })
    }

    /// Polls until something is true, at most half a minute.
    #[track_caller]
    pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
        let clock = SystemClock::start();
        while !so() {
            assert!(clock.monotonic() < Duration::from_secs(30), "{what}: not within half a minute");
            std::thread::yield_now();
        }
    }

    /// A body without fields.
    #[derive(serde::Serialize)]
    pub(crate) struct EmptyBody {}

    pub(crate) fn hello() -> Hello {
        Hello {
            protocol: vec![1],
            client: "test".into(),
            session: Some("s".into()),
            on_stale: None,
            capabilities: vec![],
        }
    }

    pub(crate) fn job(label: &str, path: &str) -> JobRequest {
        let file = FileEntry { path: path.into(), ..FileEntry::default() };
        JobRequest { label: Some(label.into()), files: vec![file], ..JobRequest::default() }
    }

    pub(crate) fn read(path: &str) -> ReadRequest {
        ReadRequest { path: path.into(), lines: None, seen: None, symbol: None, body: false }
    }

    pub(crate) struct Client {
        pub(crate) stream: UnixStream,
        frames: FrameReader,
    }

    impl Client {
        /// Connects without `hello`.
        pub(crate) fn connect(socket: &Path) -> Self {
            let stream = UnixStream::connect(socket).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
            Client { stream, frames: FrameReader::new(editd_proto::limits::FRAME) }
        }

        /// Returns the same connection for another thread to send on.
        pub(crate) fn twin(&self) -> Self {
            let frames = FrameReader::new(editd_proto::limits::FRAME);
            Self { stream: self.stream.try_clone().unwrap(), frames }
        }

        pub(crate) fn send<T: Serialize>(&mut self, id: u64, kind: &str, body: &T) {
            self.stream.write_all(&codec::encode(id, kind, body).unwrap()).unwrap();
        }

        /// Returns the next message; `None` at the end of the connection.
        pub(crate) fn next(&mut self) -> Option<Message> {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                if let Some(frame) = self.frames.next_frame().unwrap() {
                    return Some(Message::parse(frame).unwrap());
                }
                match self.stream.read(&mut buffer) {
                    Ok(0) => return None,
                    Ok(some) => self.frames.push(buffer.get(..some).unwrap()),
                    Err(why) if why.kind() == std::io::ErrorKind::ConnectionReset => return None,
                    Err(why) => panic!("{why}"),
                }
            }
        }

        pub(crate) fn receive(&mut self) -> Message {
            self.next().unwrap()
        }

        /// Sends a request and returns its only reply.
        pub(crate) fn ask<T: Serialize, R: DeserializeOwned>(&mut self, id: u64, kind: &str, body: &T) -> R {
            self.send(id, kind, body);
            let reply = self.receive();
            assert_eq!((reply.id(), reply.kind()), (id, kind), "{:?}", reply.body::<RequestError>());
            reply.body().unwrap()
        }

        /// Returns the next message, which must be an error for this request.
        pub(crate) fn error(&mut self, id: u64) -> RequestError {
            let reply = self.receive();
            assert_eq!((reply.id(), reply.kind()), (id, kind::ERROR));
            reply.body().unwrap()
        }

        /// Returns the last error; the connection must end after it.
        pub(crate) fn last_error(&mut self, id: u64) -> RequestError {
            let error = self.error(id);
            assert!(self.next().is_none(), "the connection is closed after it");
            error
        }
    }
}

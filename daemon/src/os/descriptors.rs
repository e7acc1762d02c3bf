//! The limit of open files of this process.

/// Raises the limit to the highest that the system allows.
#[cfg(unix)]
pub fn raise_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(why) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%why, "the limit of open files stays as it is");
    }
}

/// Returns the limit; `None` if there is none.
#[cfg(unix)]
pub fn descriptor_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// Returns `None`: Windows has no limit that a job could reach.
#[cfg(not(unix))]
pub fn descriptor_limit() -> Option<u64> {
    None
}

/// Returns how many files the process has open, if the system tells.
#[expect(clippy::disallowed_methods, reason = "a folder of the system, not of the workspace")]
pub fn open_descriptors() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64)
}

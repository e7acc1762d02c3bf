//! The priority of threads.

/// Gives the calling thread the lowest priority, for work that must not delay any other. Does nothing if the system
/// does not permit it, or has one priority for all threads of a process.
#[cfg(target_os = "linux")]
pub fn low_priority() {
    // On Linux this applies to the calling thread alone. Without it, the pauses of such work have to do.
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Does nothing: here the call would apply to the whole process.
#[cfg(not(target_os = "linux"))]
pub fn low_priority() {}

//! Returns freed memory to the system, and allocates zeros without writing them. It frees nothing itself.

use std::sync::Arc;

/// Bytes from which an allocation of the system's allocator is a mapping of its own, which is returned as soon as it is
/// freed. Otherwise it raises the bound with the first large file, and every thread keeps the largest block it ever had.
/// The contents of most source files are below 64 KiB. [`large_blocks`](super::large_blocks) keeps larger ones for a while.
pub(super) const MAPPED: usize = 64 * 1024;

/// Heaps of the allocator. It would make eight for each processor, and every one keeps the memory that its threads freed,
/// in pieces: a daemon with 20 MiB in use was seen to take 90 MiB after a minute of steady edits, and 37 MiB with one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAPS: i32 = 1;

/// Makes the system's allocator keep little freed memory. To be called once, before other threads start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_little() {
    #[expect(unsafe_code, reason = "the allocator's own call has no safe name")]
    // SAFETY: it takes no pointer and only sets parameters of the allocator; if it fails, nothing changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED as i32);
        libc::mallopt(libc::M_ARENA_MAX, HEAPS);
    }
}

/// Returns the pages of freed memory to the system, if the allocators keep them: after a burst of jobs they take
/// several times what an idle daemon needs. Takes about a millisecond, more with more memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() {
    super::large_blocks::give_back();
    #[expect(unsafe_code, reason = "the allocator's own call has no safe name")]
    // SAFETY: it takes no pointer, may be called at any time from any thread, and touches no memory in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators do so by themselves, or have no such call.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little() {}

/// As above.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {
    super::large_blocks::give_back();
}

/// Returns so many zeros in shared memory without writing each: the system provides large memory as zeros.
pub(super) fn zeros(size: usize) -> Arc<[u8]> {
    #[expect(unsafe_code, reason = "no safe call makes shared zeros without writing them one by one")]
    // SAFETY: every byte is initialised, to zero.
    unsafe {
        Arc::<[u8]>::new_zeroed_slice(size).assume_init()
    }
}

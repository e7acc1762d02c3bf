//! Memory that was freed goes back to the system, and memory that is to be filled is not filled twice. It frees nothing itself.

use std::sync::Arc;

/// Bytes from which an allocation is a mapping of its own, which goes back as soon as it is freed. Otherwise the
/// allocator raises the bound with the first large file, and every thread keeps the largest it ever had.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: i32 = 256 * 1024;

/// Makes the system's allocator keep little of what is freed. To be called once, before there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_little() {
    #[expect(unsafe_code, reason = "the allocator's own call has no safe name")]
    // SAFETY: it takes no pointer and only sets when the allocator maps; a refusal leaves it as it was.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
    }
}

/// Gives the pages of freed memory back, where the system's allocator keeps them: a burst of jobs leaves several
/// times what an idle daemon needs. Takes a millisecond or so, more the more there is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() {
    #[expect(unsafe_code, reason = "the allocator's own call has no safe name")]
    // SAFETY: it takes no pointer, may be called at any time from any thread, and touches no memory in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Elsewhere the allocator does so by itself, or cannot be asked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little() {}

/// The same.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}

/// So many zeros in shared memory, without writing each: the system hands large memory out as zeros.
pub(super) fn zeros(size: usize) -> Arc<[u8]> {
    #[expect(unsafe_code, reason = "no safe call makes shared zeros without writing them one by one")]
    // SAFETY: every byte is initialised, to zero.
    unsafe {
        Arc::<[u8]>::new_zeroed_slice(size).assume_init()
    }
}

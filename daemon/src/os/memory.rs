//! The allocator of the daemon is mimalloc: a job allocates several hundred small blocks and a few contents of files, which
//! the C library's allocator would map and return each time. Returns freed memory to the system, and allocates zeros without
//! writing them.

use std::sync::Arc;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Returns the pages of freed memory to the system: after a burst of jobs they take several times what an idle daemon
/// needs. Takes about a millisecond, more with more memory.
pub fn give_back() {
    #[expect(unsafe_code, reason = "the allocator's own call has no safe name")]
    // SAFETY: it takes no pointer, may be called at any time from any thread, and touches no memory in use.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}

/// Returns so many zeros in shared memory without writing each: the system provides large memory as zeros.
pub fn zeros(size: usize) -> Arc<[u8]> {
    #[expect(unsafe_code, reason = "no safe call makes shared zeros without writing them one by one")]
    // SAFETY: every byte is initialised, to zero.
    unsafe {
        Arc::<[u8]>::new_zeroed_slice(size).assume_init()
    }
}

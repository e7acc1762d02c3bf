//! Counts the memory that the parser holds, so that a parse stops when it takes too much. Contains no limit.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Bytes that the parser has allocated on this thread and not freed there.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Returns the bytes that the parser holds on this thread; always 0 unless [`count_parser_memory`] was called.
pub(crate) fn held() -> usize {
    HELD.try_with(Cell::get).unwrap_or(0)
}

/// Set once the parser counts.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// Returns true if the parser counts the memory that it holds.
pub(crate) fn counts() -> bool {
    COUNTS.load(Ordering::Relaxed)
}

/// Makes the parser count the memory that it holds, so that [`crate::ParseBudget::memory`] is observed. To be called once,
/// before other threads start. Does nothing outside Linux, where only the other limits hold.
#[cfg(not(target_os = "linux"))]
pub fn count_parser_memory() {}

#[cfg(target_os = "linux")]
pub use counting::count_parser_memory;

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the parser takes its memory from C functions")]
mod counting {
    use std::alloc::Layout;
    use std::ffi::c_void;
    use std::sync::atomic::Ordering;

    use super::{COUNTS, HELD};

    /// Makes the parser count the memory that it holds, so that [`crate::ParseBudget::memory`] is observed. To be called
    /// once, before other threads start. Does nothing outside Linux, where only the other limits hold.
    pub fn count_parser_memory() {
        let counted = tree_sitter::Allocator { malloc, calloc, realloc, free };
        // SAFETY: the functions pass every call on to the C library's own, which the parser uses otherwise. So memory
        // that was allocated before may be freed afterwards. They never return null.
        unsafe { tree_sitter::set_allocator(Some(counted)) }
        COUNTS.store(true, Ordering::Relaxed);
    }

    /// Returns the bytes that an allocation takes; 0 for none.
    fn size_of_allocation(at: *mut c_void) -> usize {
        // SAFETY: it is null or came from the functions below.
        unsafe { libc::malloc_usable_size(at) }
    }

    /// Counts an allocation in place of one that took `before` bytes.
    fn counted(at: *mut c_void, before: usize) -> *mut c_void {
        if at.is_null() {
            // The program ends, as it does if the parser has no memory without these functions.
            std::alloc::handle_alloc_error(Layout::new::<usize>());
        }
        let change = |held: usize| held.saturating_add(size_of_allocation(at)).saturating_sub(before);
        // While a thread ends, nothing is parsed.
        let _ = HELD.try_with(|held| held.set(change(held.get())));
        at
    }

    unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        // SAFETY: any size is allowed.
        counted(unsafe { libc::malloc(size.max(1)) }, 0)
    }

    unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
        // SAFETY: any size is allowed.
        counted(unsafe { libc::calloc(count.max(1), size.max(1)) }, 0)
    }

    unsafe extern "C" fn realloc(at: *mut c_void, size: usize) -> *mut c_void {
        let before = size_of_allocation(at);
        // SAFETY: the caller passes null or what these functions returned.
        counted(unsafe { libc::realloc(at, size.max(1)) }, before)
    }

    unsafe extern "C" fn free(at: *mut c_void) {
        let before = size_of_allocation(at);
        let _ = HELD.try_with(|held| held.set(held.get().saturating_sub(before)));
        // SAFETY: the caller passes null or what these functions returned.
        unsafe { libc::free(at) }
    }
}

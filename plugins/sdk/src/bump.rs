//! An allocator for instances that serve one document: it only moves forward.
//!
//! Growing the memory makes a small call expensive, because the host then changes page protections and resets them for
//! the next instance. This allocator begins in the initial memory of the instance. Rust's own allocator leaves that
//! unused and grows first. `Bump` frees only the newest allocation, so a plugin that allocates and frees a lot should
//! use Rust's own.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::Cell;
use std::ptr;

const PAGE_BYTES: usize = 64 * 1024;

/// A bump allocator for `wasm32-unknown-unknown`. With WASI, another allocator uses the same memory. Add it to a plugin
/// with
///
/// ```
/// #[cfg(target_os = "unknown")]
/// #[global_allocator]
/// static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();
/// ```
pub struct Bump {
    /// Address of the first free byte; 0 before the first allocation.
    next: Cell<usize>,
    /// Address after the last byte of memory.
    end: Cell<usize>,
}

// SAFETY: a filter's instance has one thread; this type exists for such targets only.
#[cfg(not(target_feature = "atomics"))]
unsafe impl Sync for Bump {}

unsafe extern "C" {
    /// Defined by the linker: the first byte after the program's data and stack.
    static __heap_base: u8;
}

impl Bump {
    /// Makes an allocator without allocations.
    #[expect(
        clippy::new_without_default,
        reason = "a static wants a const function"
    )]
    pub const fn new() -> Bump {
        Bump {
            next: Cell::new(0),
            end: Cell::new(0),
        }
    }

    /// Makes sure that the bytes below `end` exist.
    fn reach(&self, end: usize) -> bool {
        if end <= self.end.get() {
            return true;
        }
        let have = memory_size(0);
        let need = end.div_ceil(PAGE_BYTES).saturating_sub(have);
        // Growing is expensive, so it grows by half at a time, unless the limit is lower.
        let wanted = need.max(have / 2);
        if memory_grow(0, wanted) == usize::MAX && memory_grow(0, need) == usize::MAX {
            return false;
        }
        self.end.set(memory_size(0).saturating_mul(PAGE_BYTES));
        true
    }
}

// SAFETY: each allocation is between the program's data and the end of memory, has the requested alignment, and
// overlaps no earlier one: `next` only moves back over the newest allocation, when that is freed or shrinks.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.next.get() == 0 {
            self.next.set(&raw const __heap_base as usize);
            self.end.set(memory_size(0).saturating_mul(PAGE_BYTES));
        }
        let Some(start) = self.next.get().checked_next_multiple_of(layout.align()) else {
            return ptr::null_mut();
        };
        match start.checked_add(layout.size()) {
            Some(end) if self.reach(end) => {
                self.next.set(end);
                start as *mut u8
            }
            _ => ptr::null_mut(),
        }
    }

    // In a place for all calls: most values that are dropped are no newest allocation, and there are thousands of places.
    #[inline(never)]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if pointer as usize + layout.size() == self.next.get() {
            self.next.set(pointer as usize);
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let start = pointer as usize;
        if start + layout.size() == self.next.get() {
            return match start.checked_add(new_size) {
                Some(end) if self.reach(end) => {
                    self.next.set(end);
                    pointer
                }
                _ => ptr::null_mut(),
            };
        }
        if new_size <= layout.size() {
            return pointer;
        }
        // SAFETY: as the caller ensures, for `new_size` and this alignment. The two do not overlap, and the old one has
        // `layout.size()` bytes, fewer than the new.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(pointer, new, layout.size());
            }
            new
        }
    }
}

//! An allocator for instances that serve one document: it only moves forward.
//!
//! What makes a small call dear is growing the memory, since the host then changes page
//! protections and takes them back for the next instance. This allocator begins in the memory
//! that the instance starts with; Rust's own leaves that unused and grows first. Nothing is freed
//! except the newest allocation, so a plugin that allocates and frees a lot is better off with
//! Rust's own.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::Cell;
use std::ptr;

const PAGE_BYTES: usize = 64 * 1024;

/// The allocator, for `wasm32-unknown-unknown`: with WASI another allocator lives in the same
/// memory. Put it into a plugin with
///
/// ```ignore
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
    /// An allocator that has given nothing out.
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
        // Growing is dear, so by half at a time, unless that is more than is allowed.
        let wanted = need.max(have / 2);
        if memory_grow(0, wanted) == usize::MAX && memory_grow(0, need) == usize::MAX {
            return false;
        }
        self.end.set(memory_size(0).saturating_mul(PAGE_BYTES));
        true
    }
}

// SAFETY: what is given out lies between the program's data and the end of memory, is aligned as
// asked, and overlaps nothing that was given out before: `next` only moves back over the newest
// allocation, when that is freed or shrinks.
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
        // SAFETY: the caller's, for `new_size` and this alignment; the two do not overlap, and the
        // old one has `layout.size()` bytes, fewer than the new.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(pointer, new, layout.size());
            }
            new
        }
    }
}

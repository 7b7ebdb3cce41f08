//! Memory and table limits of one call.

use wasmtime::ResourceLimiter;

/// Most elements of all tables of an instance. Tables contain function pointers of 8 bytes each, and 20,000 are
/// enough for an interpreter.
pub(super) const TABLE_ELEMENTS: usize = 100_000;

/// Sums the memories of an instance, and notes when growth was denied: a later failure (usually an abort in the
/// guest's allocator) is then due to a lack of memory.
pub(super) struct Limiter {
    limit_bytes: usize,
    used_bytes: usize,
    table_elements: usize,
    pub denied: bool,
}

impl Limiter {
    pub(super) fn new(limit_bytes: u64) -> Limiter {
        Limiter {
            limit_bytes: usize::try_from(limit_bytes).unwrap_or(usize::MAX),
            used_bytes: 0,
            table_elements: 0,
            denied: false,
        }
    }

    /// Size of all memories together; none of them ever shrinks.
    pub(super) fn used_bytes(&self) -> usize {
        self.used_bytes
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let growth = desired.saturating_sub(current);
        let total = self.used_bytes.saturating_add(growth);
        if total > self.limit_bytes || maximum.is_some_and(|maximum| desired > maximum) {
            self.denied |= total > self.limit_bytes;
            return Ok(false);
        }
        self.used_bytes = total;
        // It asked for less, and got it.
        self.denied = false;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .table_elements
            .saturating_add(desired.saturating_sub(current));
        let allowed = total <= TABLE_ELEMENTS;
        if allowed {
            self.table_elements = total;
        }
        Ok(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_summed() {
        let mut limiter = Limiter::new(100);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(0, 40, None).unwrap());
        assert!(!limiter.denied);
        assert!(!limiter.memory_growing(40, 41, None).unwrap());
        assert!(limiter.denied);
    }

    #[test]
    fn a_memory_that_reaches_its_own_maximum_is_not_denied_by_the_limit() {
        let mut limiter = Limiter::new(100);
        assert!(!limiter.memory_growing(0, 60, Some(50)).unwrap());
        assert!(!limiter.denied);
    }
}

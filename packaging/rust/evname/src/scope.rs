use crate::error::{call, text, Error};
use crate::{Sampler, Symbols};
use evname_sys as sys;
use std::ptr::{null_mut, NonNull};

/// Finds the functions that cause events in blocks of a program. Nothing else may read the samples of its
/// sampler.
#[derive(Debug)]
pub struct SampleScope {
    handle: NonNull<sys::evname_scope>,
}

/// A function, and its part of the samples.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampledFunction {
    /// As in its source; the file and the offset if it is unknown.
    pub function: String,
    /// The file that has it.
    pub dso: String,
    /// Taken in the function itself, not in what it calls.
    pub samples: u64,
    /// Events that they stand for.
    pub period: u64,
}

/// A block, which ends when this is dropped.
#[derive(Debug)]
#[must_use = "the block ends when it is dropped"]
pub struct SampledBlock<'a> {
    scope: &'a mut SampleScope,
}

impl SampleScope {
    /// Makes a scope. It keeps the sampler and the symbols open.
    pub fn new(sampler: &mut Sampler, symbols: &Symbols) -> crate::Result<SampleScope> {
        let mut scope = null_mut();
        call(|error| unsafe {
            sys::evname_scope_new(sampler.as_ptr(), symbols.handle.as_ptr(), &mut scope, error)
        })?;
        let handle = NonNull::new(scope).ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))?;
        Ok(SampleScope { handle })
    }

    /// Drops the samples that were taken before, and starts the events until the block is dropped.
    pub fn start(&mut self) -> crate::Result<SampledBlock<'_>> {
        call(|error| unsafe { sys::evname_scope_start(self.handle.as_ptr(), error) })?;
        Ok(SampledBlock { scope: self })
    }

    /// Returns the functions of all blocks, the one with most events first. `event` is an index of the events of
    /// [`Sampler::recording`].
    pub fn functions(&mut self, event: usize) -> Vec<SampledFunction> {
        let mut one = sys::evname_sampled_function::default();
        let mut found = Vec::new();
        // SAFETY: the texts live until the next stop.
        while unsafe { sys::evname_scope_function(self.handle.as_ptr(), event, found.len(), &mut one) } == 0 {
            let (function, dso) = unsafe { (text(one.function), text(one.dso)) };
            found.push(SampledFunction { function, dso, samples: one.samples, period: one.period });
        }
        found
    }
}

impl SampledBlock<'_> {
    /// Ends the block, and reports failures, which dropping it ignores.
    pub fn stop(self) -> crate::Result<()> {
        let scope = std::mem::ManuallyDrop::new(self);
        call(|error| unsafe { sys::evname_scope_stop(scope.scope.handle.as_ptr(), error) })
    }
}

impl Drop for SampledBlock<'_> {
    fn drop(&mut self) {
        let _ = call(|error| unsafe { sys::evname_scope_stop(self.scope.handle.as_ptr(), error) });
    }
}

impl Drop for SampleScope {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_scope_free(self.handle.as_ptr()) }
    }
}

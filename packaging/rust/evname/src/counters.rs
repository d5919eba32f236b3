use crate::error::{c_text, call, text, Error};
use crate::sampler::{c_target, cgroup_of};
use crate::{MachineRef, Target};
use evname_sys as sys;
use std::ptr::{null_mut, NonNull};

/// Open counters, which count while they are enabled. Threads may share them; only the thread that opened them can read
/// them without a system call.
#[derive(Debug)]
pub struct Counters {
    handle: NonNull<sys::evname_counters>,
    events: Vec<Counter>,
}

// SAFETY: counters.h: several threads may enable, disable and read them at once.
unsafe impl Send for Counters {}
unsafe impl Sync for Counters {}

/// The way to put events into groups, which are counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grouping {
    /// As perf opens them.
    #[default]
    Regrouped,
    /// By their braces.
    AsWritten,
    /// The fewest groups that the counters can count; each event once.
    Scheduled,
    /// Each event on its own.
    Single,
}

/// Options of counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterOptions {
    pub groups: Grouping,
    /// Also the threads and processes that are made later.
    pub inherit: bool,
    /// Start when the thread executes a program; events that are counted on CPUs, and clocks, start when they are opened.
    pub enable_on_exec: bool,
    /// Never share a counter.
    pub pinned: bool,
    /// Always read by system calls.
    pub no_user_reads: bool,
    /// Leave out events that can't be counted: see [`Counter::problem`].
    pub partial: bool,
    /// Fail if the kernel may not be counted, instead of counting only user space.
    pub kernel_too: bool,
}

/// An event of [`Counters`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counter {
    /// As it was written, without modifiers.
    pub name: String,
    /// "cpu", "software", …
    pub pmu: String,
    /// The reason why it is not counted, by [`CounterOptions::partial`].
    pub problem: Option<Error>,
}

/// The count of an event since the counters were opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterValue {
    /// Number of times that the event was seen.
    pub value: u64,
    /// ns that the event was enabled.
    pub enabled: u64,
    /// ns that it had a counter.
    pub running: u64,
    /// `value` for all of `enabled`, an estimate if `running` is less. `None`: it never had a counter, and `value` means
    /// nothing.
    pub scaled: Option<f64>,
}

impl CounterOptions {
    fn flags(self) -> u32 {
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        flag(self.inherit, sys::EVNAME_COUNT_INHERIT)
            | flag(self.enable_on_exec, sys::EVNAME_COUNT_ENABLE_ON_EXEC)
            | flag(self.pinned, sys::EVNAME_COUNT_PINNED)
            | flag(self.no_user_reads, sys::EVNAME_COUNT_NO_USER_READS)
            | flag(self.partial, sys::EVNAME_COUNT_PARTIAL)
            | flag(self.kernel_too, sys::EVNAME_COUNT_KERNEL_TOO)
    }
}

impl Counters {
    /// Opens a list of events in the syntax of `perf -e`. Nothing is counted until they are enabled. The error says which
    /// event can't be counted and why, and its hint proposes a remedy.
    pub fn open(
        machine: &MachineRef,
        events: &str,
        target: &Target<'_>,
        options: CounterOptions,
    ) -> crate::Result<Counters> {
        let (events, cgroup) = (c_text(events)?, cgroup_of(target)?);
        let target = c_target(target, cgroup.as_ref());
        let mut counters = null_mut();
        call(|error| unsafe {
            sys::evname_counters_open(
                machine.as_ptr(),
                events.as_ptr(),
                &target,
                options.groups as u32,
                options.flags(),
                &mut counters,
                error,
            )
        })?;
        let handle = NonNull::new(counters).ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))?;
        // SAFETY: it is open.
        let events = unsafe {
            (0..sys::evname_counters_count(counters)).map(|index| counter_at(counters, index)).collect()
        };
        Ok(Counters { handle, events })
    }

    /// Returns the events, in the order of opening.
    pub fn events(&self) -> &[Counter] {
        &self.events
    }

    /// Starts all counters.
    pub fn enable(&self) -> crate::Result<()> {
        call(|error| unsafe { sys::evname_counters_enable(self.handle.as_ptr(), error) })
    }

    /// Stops all counters; they can still be read.
    pub fn disable(&self) -> crate::Result<()> {
        call(|error| unsafe { sys::evname_counters_disable(self.handle.as_ptr(), error) })
    }

    /// Reads the count of each event.
    pub fn read(&self) -> crate::Result<Vec<CounterValue>> {
        let mut values = vec![sys::evname_counter_value::default(); self.events.len()];
        let (counters, room) = (self.handle.as_ptr(), values.len());
        call(|error| unsafe { sys::evname_counters_read(counters, values.as_mut_ptr(), room, error) })?;
        Ok(values.iter().map(CounterValue::of).collect())
    }

    /// Returns the number of events that can be read now without a system call.
    pub fn user_readable(&self) -> usize {
        unsafe { sys::evname_counters_user_readable(self.handle.as_ptr()) }
    }
}

impl CounterValue {
    fn of(from: &sys::evname_counter_value) -> CounterValue {
        let scaled = (from.running != 0).then(|| from.scaled);
        CounterValue { value: from.value, enabled: from.enabled, running: from.running, scaled }
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_counters_free(self.handle.as_ptr()) }
    }
}

unsafe fn counter_at(counters: *const sys::evname_counters, index: usize) -> Counter {
    let (mut attr, mut name) = (sys::evname_attr::default(), std::ptr::null());
    sys::evname_counters_event_at(counters, index, &mut attr, &mut name);
    let problem = call(|error| sys::evname_counters_problem(counters, index, error)).err();
    Counter { name: text(name), pmu: text(attr.pmu), problem }
}

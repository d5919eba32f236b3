//! PMU event names to raw codes and back, and the samples of perf.data with the names of their events.
//!
//! ```
//! # fn main() -> Result<(), evname::Error> {
//! let machine = evname::Machine::named("skylakex")?;
//! let encodings = machine.resolve("mem_load_retired.l3_miss:u")?;
//! assert_eq!(encodings[0].config(), 0x20d1);
//! assert_eq!(machine.name(&[0x20d1], None)?, "mem_load_retired.l3_miss");
//!
//! let error = machine.resolve("cpu/event=zz/").unwrap_err();
//! assert_eq!(error.offset, Some(4));
//! # Ok(()) }
//! ```
//!
//! Handles are freed when they are dropped. Machines and recordings may be shared by threads; a pass over samples
//! belongs to one at a time.

mod counters;
mod error;
mod machine;
mod recording;
mod records;
mod sampler;
mod samples;
mod scope;
mod symbols;

pub use counters::{Counter, CounterOptions, CounterValue, Counters, Grouping};
pub use error::{Error, ErrorKind};
pub use machine::{Cpu, Encoding, Machine, MachineRef, Modifiers, Names};
pub use recording::{NamedBy, RecordedEvent, Recording};
pub use records::Record;
pub use sampler::{CallChains, Losses, SampledEvents, Sampler, SamplerOptions, Target};
pub use samples::{ReadOptions, Sample, Samples, Tally};
pub use scope::{SampleScope, SampledBlock, SampledFunction};
pub use symbols::{context_name, Frame, Mapping, SymbolOptions, Symbols};

/// A value or an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

//! The C interface of libevname: `<evname/evname.h>` and, by their names, `measure.h`, `counters.h` and `report.h`,
//! which document it. Written by bindgen (`packaging/rust/bindings`); the crate `evname` is the safe one.
#![allow(non_camel_case_types)]

pub mod counters;
mod functions;
pub mod measure;
pub mod report;
mod types;

pub use functions::*;
pub use types::*;

//! The C interface of libevname, `<evname/evname.h>`, which documents it. bindgen writes it
//! (`packaging/rust/bindings`); the crate `evname` is the safe one.
#![allow(non_camel_case_types)]

mod bindings;

pub use bindings::*;

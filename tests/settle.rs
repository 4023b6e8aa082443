//! Body Ground Follow: what of the body hangs over ground settles onto it.

mod common;

#[path = "settle/bends.rs"]
mod bends;
#[path = "settle/falls.rs"]
mod falls;
#[path = "settle/keeps.rs"]
mod keeps;
#[path = "settle/support.rs"]
mod support;

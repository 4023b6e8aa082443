//! What the pictures of several examples are drawn with: pens and colours, ground from above, bodies and heads.
// No example needs all of it.
#![allow(dead_code)]

pub mod coat;
pub mod ground;
pub mod head;
pub mod lettering;
pub mod paint;
pub mod scale;
pub mod skin;
pub mod view;

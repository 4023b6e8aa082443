//! What the batch tells about itself. It reads everything, and nothing reads it.

mod hash;

//! Typed errors: each names the field, its value and what is allowed.

use crate::id::SerpentId;

/// Everything that the library refuses.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside what its field allows.
    #[error("{field} = {value}: allowed is {allowed}")]
    Value {
        /// The argument or setting.
        field: String,
        /// What was given.
        value: String,
        /// What would be taken.
        allowed: String,
    },
    /// A handle whose creature is gone, or that never belonged to this batch.
    #[error("{id:?}: {why}")]
    Handle {
        /// The handle as given.
        id: SerpentId,
        /// Why it does not resolve.
        why: HandleFault,
    },
    /// A key of a profile, tier or terrain file is outside what it allows.
    #[error("{file}: {key} = {value}: allowed is {allowed}")]
    Key {
        /// The file's path or the embedded name.
        file: String,
        /// The key's dotted path, as `body.length_m`.
        key: String,
        /// What the file says.
        value: String,
        /// What would be taken.
        allowed: String,
    },
    /// A file that cannot be read as what it should be: its syntax, an unknown key, an image that does not decode.
    #[error("{file}: {message}")]
    File {
        /// The file's path or the embedded name.
        file: String,
        /// What is wrong, with the line where the parser knows it.
        message: String,
    },
    /// A name that is neither embedded nor a file.
    #[error("no {kind} named {name}: known are {known}, or a path to a file")]
    Name {
        /// What was looked for: `profile`, `tier`, `terrain`.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The embedded names, comma separated.
        known: String,
    },
    /// `begin` and `finish` came out of turn.
    #[error("{call} out of turn: {allowed}")]
    Turn {
        /// The call that was refused.
        call: &'static str,
        /// The order that is allowed.
        allowed: &'static str,
    },
}

/// Why a handle does not resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandleFault {
    /// The creature was despawned (or the batch cleared) since the handle was given out.
    #[error("the creature is gone; allowed are handles of living creatures")]
    Stale,
    /// The handle was given out by another batch.
    #[error("the handle is of another batch; allowed are handles that this batch gave out")]
    Foreign,
}

impl Error {
    /// An [`Error::Value`]: `value` is printed with `Display`.
    pub(crate) fn value(field: &str, value: impl std::fmt::Display, allowed: &str) -> Self {
        Self::Value { field: field.into(), value: value.to_string(), allowed: allowed.into() }
    }
}

/// The result of everything fallible here.
pub type Result<T> = std::result::Result<T, Error>;

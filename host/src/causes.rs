//! Why something failed, in the fewest words.

use std::error::Error;

/// What the error at the end of the chain of causes says: those before it repeat what the caller knows.
pub(crate) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

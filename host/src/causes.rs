//! Why something failed, in the fewest words.

use std::error::Error;

/// The message of the last cause: the ones before it repeat facts that the caller knows.
pub(crate) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

//! Calls of the host. In a filter's own tests, which run natively, the harness in `testing` answers. Everywhere else,
//! the contract's imports answer. Outside of WebAssembly they only panic.

#[cfg(all(not(target_family = "wasm"), feature = "testing"))]
pub use crate::testing::host::{
    call_arguments, call_index, call_is_error, call_part, call_sent_as, call_server, call_surface,
    call_tool, keep_original, kind, len, log, session_value, set_result_meta, set_session_value,
    slice, tape, text, tokens,
};

#[cfg(not(all(not(target_family = "wasm"), feature = "testing")))]
pub use imports::*;

#[cfg(not(all(not(target_family = "wasm"), feature = "testing")))]
mod imports {
    use crate::guest::bindings::tamis::filter as host;

    pub use host::call::{
        arguments as call_arguments, index as call_index, is_error as call_is_error,
        part as call_part, sent_as as call_sent_as, server as call_server, surface as call_surface,
        tool as call_tool,
    };
    pub use host::document::{kind, len, slice, tape, text};
    pub use host::log::log;
    pub use host::original::keep as keep_original;
    pub use host::result_meta::set as set_result_meta;
    pub use host::session::{get as session_value, set as set_session_value};
    pub use host::tokens::count as tokens;
}

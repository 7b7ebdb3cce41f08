//! Tools for a plugin's author to find mistakes: failed calls, saved and run again; the time of each part; cases; and
//! errors that name the cause, the limit and the fix. And the guide, followed exactly.

mod author;
mod cases;
mod errors;
mod guide;
mod profile;
mod saved;

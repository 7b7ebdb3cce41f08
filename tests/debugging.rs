//! What an author of a plugin has to find out what is wrong: calls that failed, kept and run again; where the time
//! goes; cases; and errors that name the cause, the limit and what to do. And the guide, followed to the letter.

mod support;

#[path = "debugging/author.rs"]
mod author;
#[path = "guests/built.rs"]
mod built;
#[path = "debugging/cases.rs"]
mod cases;
#[path = "debugging/errors.rs"]
mod errors;
#[path = "debugging/guide.rs"]
mod guide;
#[path = "support/mcp.rs"]
mod mcp;
#[path = "debugging/profile.rs"]
mod profile;
#[path = "debugging/saved.rs"]
mod saved;

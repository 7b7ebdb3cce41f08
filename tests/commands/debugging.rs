//! What an author of a plugin has to find out what is wrong: calls that failed, kept and run again; where the time
//! goes; cases; and errors that name the cause, the limit and what to do. And the guide, followed to the letter.

mod author;
mod cases;
mod errors;
mod guide;
mod profile;
mod saved;

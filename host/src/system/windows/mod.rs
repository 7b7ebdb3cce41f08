//! Windows.

pub(crate) mod calls;
pub(crate) mod files;
pub(crate) mod limits;
pub(crate) mod owners;
pub(crate) mod pipes;
pub(crate) mod processes;
pub(crate) mod signals;

//! What the tests of Probity's crates share. Never a dependency of code that users build.

mod folder;
mod process;
mod snapshot;
mod stream;

pub use folder::Folder;
pub use process::{Run, quiet, run};
pub use snapshot::assert_snapshot;
pub use stream::Stream;

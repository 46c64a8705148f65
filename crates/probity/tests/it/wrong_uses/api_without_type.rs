//! A table of calls without a type.

use probity::prelude::*;

api! { deque { fn new() -> Self; } } //~

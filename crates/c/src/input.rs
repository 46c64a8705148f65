//! Inputs as reports show them: by where they are drawn, and what stands there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int};

use probity_core::{Source, SourcePlace, context};

use crate::case;
use crate::text::{self, kept};

thread_local! {
    /// How often each line has drawn in the case that is rendered.
    static DRAWN: RefCell<BTreeMap<(String, u32), usize>> = const { RefCell::new(BTreeMap::new()) };
}

/// Forgets what another case drew.
#[inline]
pub(crate) fn begin_case(source: &mut Source) {
    crate::draw::begin_case(source);
    crate::saved::begin_case();
    if context::is_rendering() {
        DRAWN.with_borrow_mut(BTreeMap::clear);
    }
}

/// Whether the case is one that is shown: only then is it worth while to make texts for it.
///
/// ```
/// assert_eq!(probity_c::probity_is_rendering(), 0, "no case is running");
/// ```
#[unsafe(no_mangle)]
pub extern "C" fn probity_is_rendering() -> c_int {
    context::is_rendering().into()
}

/// Where something is drawn, as C says it.
#[derive(Clone, Copy)]
pub(crate) struct DrawSite {
    pub(crate) file: *const c_char,
    pub(crate) line: u32,
}

impl DrawSite {
    /// The same for reports.
    pub(crate) fn place(self) -> SourcePlace {
        // SAFETY: headers pass the name of a file, which ends with a zero, or null.
        let file = unsafe { case::text(self.file) };
        SourcePlace::Foreign { file: kept(text::base(&file)), line: self.line }
    }

    /// What an input that is drawn here is called.
    pub(crate) fn name(self) -> Option<&'static str> {
        if self.file.is_null() {
            return None;
        }
        // SAFETY: as above.
        let file = unsafe { case::text(self.file) };
        let nth = DRAWN.with_borrow_mut(|it| {
            let n = it.entry((file.clone(), self.line)).or_default();
            *n += 1;
            *n - 1
        });
        let said = text::source_line(&file, self.line).map(|it| text::declared(&it, nth)).unwrap_or_default();
        // Within a branch, where it stands is known from the branch.
        if case::depth() > 0 && !said.is_empty() {
            return said.rsplit(' ').next().filter(|it| is_plain(it)).map(kept);
        }
        // What is no file has no lines.
        let line = if self.line == 0 { String::new() } else { format!(":{}", self.line) };
        let place = format!("{}{line}", text::base(&file));
        Some(kept(format!("{place} {said}").trim_end()))
    }
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|it| it.is_alphanumeric() || it == '_')
}

//! Inputs in files, as DeepState has them: the bytes of what is drawn, one after the other, numbers with their high byte
//! first. What is not in the bounds of its draw is folded into them; where the file ends, zeros follow.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use probity_core::{Case, Domain, Ended, Engine, Stop, Trace, Value, context};

/// A file has at most as many bytes.
const BYTES_MAX: usize = 32_768;

/// What is done with the bytes of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SavedMode {
    /// Nothing.
    Off,
    /// They come from a file.
    Reads,
    /// Those of rendered cases go to a file.
    Writes,
}

thread_local! {
    static MODE: Cell<SavedMode> = const { Cell::new(SavedMode::Off) };
    /// What was read, and how much of it was used.
    static BYTES: RefCell<(Vec<u8>, usize)> = const { RefCell::new((Vec::new(), 0)) };
    /// What the next draw is to give.
    static PROPOSED: Cell<Option<Value>> = const { Cell::new(None) };
    static WRITTEN: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// Says what the next draw is to give, which takes `size` bytes.
#[inline]
pub(crate) fn propose(size: u32, min: i128, max: i128) {
    if MODE.get() == SavedMode::Reads {
        let raw = next(size);
        let shift = 128 - 8 * size.clamp(1, 16);
        let it = if min < 0 { ((raw << shift) as i128) >> shift } else { raw as i128 };
        let span = max.abs_diff(min) + 1;
        let it = if it < min || it > max { min.wrapping_add_unsigned(raw % span) } else { it };
        PROPOSED.set(Some(Value::Int(it)));
    }
}

/// The same, of a float.
#[inline]
pub(crate) fn propose_float(size: u32) {
    if MODE.get() == SavedMode::Reads {
        let raw = next(size);
        let it = if size == 4 { f32::from_bits(raw as u32).into() } else { f64::from_bits(raw as u64) };
        PROPOSED.set(Some(Value::Float(it)));
    }
}

/// The next number of this many bytes.
fn next(size: u32) -> u128 {
    BYTES.with_borrow_mut(|(bytes, used)| {
        (0..size).fold(0, |sum, _| {
            let it = bytes.get(*used).copied().unwrap_or(0);
            *used += 1;
            sum << 8 | u128::from(it)
        })
    })
}

/// Adds what was drawn to the file, if there is one.
#[inline]
pub(crate) fn add(size: u32, it: u64) {
    if MODE.get() == SavedMode::Writes && context::is_rendering() {
        append(&it.to_be_bytes()[8 - size.clamp(1, 8) as usize..]);
    }
}

/// At once, since the case may end the process.
#[cold]
fn append(bytes: &[u8]) {
    WRITTEN.with_borrow(|path| {
        let Some(path) = path else { return };
        let file = fs::OpenOptions::new().create(true).append(true).open(path);
        // Where it cannot be written, there is no file to save, and that is reported.
        let _ = file.and_then(|mut it| it.write_all(bytes));
    });
}

/// Begins a case.
pub(crate) fn begin_case() {
    match MODE.get() {
        SavedMode::Off => {}
        SavedMode::Reads => BYTES.with_borrow_mut(|it| it.1 = 0),
        SavedMode::Writes if context::is_rendering() => {
            WRITTEN.with_borrow(|path| path.iter().for_each(|it| _ = fs::write(it, [])))
        }
        SavedMode::Writes => {}
    }
}

/// Keeps the bytes of the case that is rendered last in a file beside those that are saved.
pub(crate) fn write_to(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|err| format!("cannot make {}: {err}", folder.display()))?;
    WRITTEN.set(Some(folder.join(format!(".drawn-{}", std::process::id()))));
    MODE.set(SavedMode::Writes);
    Ok(())
}

/// Saves what the last rendered case drew, under the name of a test. Returns where.
pub(crate) fn save(folder: &Path, source: &str, test: &str, ending: &str) -> Result<PathBuf, String> {
    let drawn = WRITTEN.take().unwrap_or_default();
    MODE.set(SavedMode::Off);
    let bytes = fs::read(&drawn).unwrap_or_default();
    // Nothing is left of it where nothing was drawn.
    let _ = fs::remove_file(&drawn);
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, it| (hash ^ u64::from(*it)).wrapping_mul(0x100_0000_01b3));
    let folder = folder.join(source).join(test);
    let path = folder.join(format!("{hash:016x}.{ending}"));
    let made = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, bytes));
    made.map_err(|err| format!("cannot write {}: {err}", path.display()))?;
    Ok(path)
}

/// Ends what [`write_to`] began, where there is nothing to save.
pub(crate) fn forget() {
    let _ = fs::remove_file(WRITTEN.take().unwrap_or_default());
    MODE.set(SavedMode::Off);
}

/// Answers one case by what is in a file.
pub(crate) struct SavedReplay {
    bytes: Vec<u8>,
    has_begun: bool,
}

impl SavedReplay {
    pub(crate) fn new(mut bytes: Vec<u8>) -> SavedReplay {
        bytes.truncate(BYTES_MAX);
        SavedReplay { bytes, has_begun: false }
    }
}

impl Engine for SavedReplay {
    fn begin(&mut self) -> Result<(), Ended> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Err(Ended::Exhausted);
        }
        BYTES.set((std::mem::take(&mut self.bytes), 0));
        MODE.set(SavedMode::Reads);
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        let number = match PROPOSED.take() {
            Some(Value::Int(it)) => it,
            Some(it @ Value::Float(_)) => return Ok(domain.fit(it)),
            _ => return Ok(domain.simplest()),
        };
        Ok(domain.fit(match domain {
            Domain::Bool => Value::Bool(number & 1 == 1),
            Domain::Pick { .. } => Value::Pick(number as u32),
            Domain::Length { .. } => Value::Length(number as u32),
            _ => Value::Int(number),
        }))
    }

    fn end(&mut self, _: &Case) {
        MODE.set(SavedMode::Off);
    }
}

//! Which code was reached, as `cargo probity uncovered` reads it. No other file knows the format.
//!
//! ```text
//! probity reached, format 1
//! module 5f3759df /project/target/debug/deps/app-0123456789abcdef
//! 1a2b0
//! 1a2c4
//! checksum: 1f0b7c2a9d8e6455
//! ```
//!
//! Under each module stand addresses of blocks, in the order of memory and as the module's file has them: less what it
//! was loaded at. The number before its path says whether the file is still the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::UNIX_EPOCH;

use crate::store::hash;

const HEADER: &str = "probity reached, format ";
const VERSION: &str = "1";

/// Blocks of machine code that were reached, by the file of the module and by their address in it.
///
/// ```
/// use probity::corpus::Reached;
/// let mut reached = Reached::default();
/// reached.add("target/debug/deps/app", 0x1a2b0);
/// assert_eq!(reached.len(), 1);
/// assert_eq!(Reached::from_text(&reached.to_text()), Ok(reached));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    modules: BTreeMap<String, ReachedModule>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ReachedModule {
    /// Which build of it.
    stamp: u64,
    addresses: BTreeSet<u64>,
}

impl Reached {
    /// Adds a block. `address` is as the file of the module has it: less what the module is loaded at.
    pub fn add(&mut self, module: &str, address: u64) {
        match self.modules.get_mut(module) {
            Some(it) => _ = it.addresses.insert(address),
            None => {
                let addresses = BTreeSet::from([address]);
                self.modules.insert(module.to_string(), ReachedModule { stamp: 0, addresses });
            }
        }
    }

    /// Adds all that another has.
    ///
    /// ```
    /// use probity::corpus::Reached;
    /// let (mut a, mut b) = (Reached::default(), Reached::default());
    /// a.add("app", 1);
    /// b.add("app", 2);
    /// a.merge(&b);
    /// assert_eq!(a.len(), 2);
    /// ```
    pub fn merge(&mut self, other: &Reached) {
        for (name, theirs) in &other.modules {
            let it = self.modules.entry(name.clone()).or_default();
            it.stamp = it.stamp.max(theirs.stamp);
            it.addresses.extend(&theirs.addresses);
        }
    }

    /// Notes which builds of its modules it is of.
    pub(super) fn stamp(&mut self) {
        for (name, module) in &mut self.modules {
            module.stamp = stamp_of(name);
        }
    }

    /// Forgets modules that were built anew since, or are gone: their addresses mean nothing any more.
    pub(super) fn forget_stale(&mut self) {
        self.modules.retain(|name, it| it.stamp != 0 && it.stamp == stamp_of(name));
    }

    /// The modules, each with its addresses in the order of memory.
    ///
    /// ```
    /// assert_eq!(probity::corpus::Reached::default().modules().count(), 0);
    /// ```
    pub fn modules(&self) -> impl Iterator<Item = (&str, &BTreeSet<u64>)> {
        self.modules.iter().map(|(name, it)| (name.as_str(), &it.addresses))
    }

    /// How many blocks there are.
    ///
    /// ```
    /// assert_eq!(probity::corpus::Reached::default().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.modules.values().map(|it| it.addresses.len()).sum()
    }

    /// Whether there is none.
    ///
    /// ```
    /// assert!(probity::corpus::Reached::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The content of its file.
    ///
    /// ```
    /// assert!(probity::corpus::Reached::default().to_text().starts_with("probity reached, format 1\n"));
    /// ```
    pub fn to_text(&self) -> String {
        let mut res = format!("{HEADER}{VERSION}\n");
        for (name, module) in &self.modules {
            let _ = writeln!(res, "module {:x} {name}", module.stamp); // writing to a string cannot fail
            for address in &module.addresses {
                let _ = writeln!(res, "{address:x}");
            }
        }
        let sum = hash(res.bytes());
        res + &format!("checksum: {sum:016x}\n")
    }

    /// Reads what [`to_text`](Self::to_text) wrote, or says what is wrong with it.
    ///
    /// ```
    /// use probity::corpus::Reached;
    /// assert!(Reached::from_text("module app\n").unwrap_err().contains("first line"));
    /// ```
    pub fn from_text(text: &str) -> Result<Reached, String> {
        match text.lines().next().and_then(|it| it.strip_prefix(HEADER)) {
            Some(VERSION) => {}
            Some(other) => {
                return Err(format!(
                    "it has format `{other}`, and this Probity reads {VERSION}; update probity"
                ));
            }
            None => return Err(format!("its first line is not `{HEADER}{VERSION}`; delete it")),
        }
        let (body, sum) = text.rsplit_once("checksum: ").ok_or("a part of it is missing; delete it")?;
        if sum.trim_end() != format!("{:016x}", hash(body.bytes())) {
            return Err("it was changed after it was saved (its checksum differs); delete it".to_string());
        }
        let mut res = Reached::default();
        let mut module = None;
        for (at, line) in body.lines().enumerate().skip(1) {
            let number = |hex: &str| {
                let wrong = |_| format!("line {}: `{hex}` is no number in base 16; delete it", at + 1);
                u64::from_str_radix(hex, 16).map_err(wrong)
            };
            if let Some((stamp, name)) = line.strip_prefix("module ").and_then(|it| it.split_once(' ')) {
                module = Some(name);
                res.modules.entry(name.to_string()).or_default().stamp = number(stamp)?;
                continue;
            }
            let module =
                module.ok_or_else(|| format!("line {}: an address of no module; delete it", at + 1))?;
            res.add(module, number(line)?);
        }
        Ok(res)
    }
}

/// A number that is another one once the file is: from its length and when it was written. Zero where there is no file.
fn stamp_of(path: &str) -> u64 {
    let Ok(it) = std::fs::metadata(path) else { return 0 };
    let time = it.modified().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let words = [it.len(), time.as_secs(), time.subsec_nanos().into()];
    hash(words.into_iter().flat_map(u64::to_le_bytes)).max(1)
}

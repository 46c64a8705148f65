//! Which lines the machine code of a module comes from.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use super::FileLines;

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// A module: its functions, and the lines of its code.
pub(super) struct Module<'a> {
    file: object::File<'a>,
    /// Where each begins and ends, in order, and what it is called.
    functions: Vec<(u64, u64, String)>,
}

impl<'a> Module<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Module<'a>, String> {
        let file = object::File::parse(bytes).map_err(|err| format!("it is no module: {err}"))?;
        let named = file.symbols().filter(|it| it.kind() == SymbolKind::Text && it.size() > 0);
        let mut functions: Vec<(u64, u64, String)> = named
            .map(|it| (it.address(), it.address() + it.size(), it.name().unwrap_or_default().to_string()))
            .collect();
        functions.sort();
        functions.dedup_by_key(|it| it.0);
        if functions.is_empty() {
            return Err("it has no symbols; build without `strip`".to_string());
        }
        Ok(Module { file, functions })
    }

    /// Sorts the lines of files below `root` by whether a block of theirs is among those that were reached.
    pub(super) fn sort_lines(
        &self,
        reached: &BTreeSet<u64>,
        root: &Path,
        files: &mut BTreeMap<PathBuf, FileLines>,
    ) -> Result<(), String> {
        let rows = self.own_rows(root)?;
        for (start, end, _) in self.functions.iter().filter(|it| !is_test(&it.2)) {
            let own: Vec<_> = rows.range(start..end).collect();
            let Some((_, first)) = own.first() else { continue };
            if reached.range(start..end).next().is_none() {
                // Tests of their own, which somebody else runs.
                let is_test = |it: &Path| it.components().any(|it| it.as_os_str() == "tests");
                if first.0.strip_prefix(root).is_ok_and(is_test) {
                    continue;
                }
                // As far as it is in the file of its first line: the rest was inlined.
                let lines = own.iter().filter(|it| it.1.0 == first.0).map(|it| it.1.1);
                let last = lines.max().unwrap_or(first.1);
                files.entry(first.0.clone()).or_default().closed.insert((first.1, last));
                continue;
            }
            let starts = self.blocks(*start, *end);
            for (address, (file, line)) in own {
                let at = starts.partition_point(|it| it <= address);
                let is_reached = at > 0 && reached.contains(&starts[at - 1]);
                let lines = files.entry(file.clone()).or_default();
                if is_reached { &mut lines.reached } else { &mut lines.missed }.insert(*line);
            }
        }
        Ok(())
    }

    /// How many of these blocks are of functions whose code stands below `root`, tests aside.
    pub(super) fn own_blocks(&self, reached: &BTreeSet<u64>, root: &Path) -> Result<u64, String> {
        let rows = self.own_rows(root)?;
        let is_own = |start: u64| rows.range(..=start).next_back().is_some_and(|(at, _)| *at == start);
        let own = self.functions.iter().filter(|it| !is_test(&it.2) && is_own(it.0));
        Ok(own.map(|(start, end, _)| reached.range(start..end).count() as u64).sum())
    }

    /// The lines of code below `root`, by address.
    fn own_rows(&self, root: &Path) -> Result<BTreeMap<u64, (PathBuf, u32)>, String> {
        let section = |id: SectionId| {
            let data = self.file.section_by_name(id.name()).map(|it| it.uncompressed_data());
            data.unwrap_or(Ok(Cow::Borrowed(&[][..])))
        };
        let sections = gimli::DwarfSections::load(section)
            .map_err(|err: object::Error| format!("its debug information cannot be read: {err}"))?;
        let dwarf = sections.borrow(|it| EndianSlice::new(it, LittleEndian));
        let rows = own_rows(&dwarf, root).map_err(|err| format!("its line tables cannot be read: {err}"))?;
        if rows.is_empty() {
            return Err("it has no line tables of this workspace; build with debug information".to_string());
        }
        Ok(rows)
    }

    /// Where the blocks of a function begin. One that is not understood is one block.
    fn blocks(&self, start: u64, end: u64) -> Vec<u64> {
        let holds = |it: &object::Section<'a, '_>| (it.address()..it.address() + it.size()).contains(&start);
        let code = self.file.sections().find(holds).and_then(|it| it.data_range(start, end - start).ok()?);
        code.and_then(|it| block_starts(it, start)).unwrap_or_else(|| vec![start])
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
use probity_coverage::block_starts;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
fn block_starts(_: &[u8], _: u64) -> Option<Vec<u64>> {
    None // nothing is reached there, either
}

/// Whether a symbol is of a test or of what is written for tests.
fn is_test(symbol: &str) -> bool {
    symbol.contains("5tests") || symbol.contains("4test")
}

/// The rows of line tables whose files lie below `root` and not in a target folder, by address.
fn own_rows(dwarf: &Dwarf<Bytes<'_>>, root: &Path) -> gimli::Result<BTreeMap<u64, (PathBuf, u32)>> {
    let mut res = BTreeMap::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let folder = unit.comp_dir.map(|it| PathBuf::from(&*it.to_string_lossy())).unwrap_or_default();
        let Some(program) = unit.line_program.clone() else { continue };
        let mut known: BTreeMap<u64, Option<PathBuf>> = BTreeMap::new();
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            let Some(line) = row.line().filter(|_| !row.end_sequence()) else { continue };
            let index = row.file_index();
            let path = match known.entry(index) {
                Entry::Occupied(it) => it.into_mut(),
                Entry::Vacant(it) => {
                    let path = header.file(index).map(|it| {
                        let text =
                            |it| dwarf.attr_string(&unit, it).map(|it| it.to_string_lossy().into_owned());
                        let directory = it.directory(header).map(text).transpose()?.unwrap_or_default();
                        gimli::Result::Ok(folder.join(directory).join(text(it.path_name())?))
                    });
                    let is_own = |it: &PathBuf| it.starts_with(root) && !it.starts_with(root.join("target"));
                    it.insert(path.transpose()?.filter(is_own))
                }
            };
            if let Some(path) = path {
                res.insert(row.address(), (path.clone(), line.get() as u32));
            }
        }
    }
    Ok(res)
}

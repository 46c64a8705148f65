//! The settings of one test, and where each came from.
//!
//! Whatever is nearer to the keyboard wins: default < `probity.toml` < attribute or builder < environment. An
//! unknown name and a malformed value are errors that name their place. An empty variable counts as unset.

mod file;
mod key;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_core::{Schedule, SortedMap, Swarm};

pub use file::File;
pub use key::Key;

use crate::{EngineKind, fuzzer};

/// The folder of stored failures, beside `Cargo.toml`.
pub(crate) const STORE: &str = "probity-failures";
/// The variable that chooses a profile of `probity.toml`.
const PROFILE: &str = "PROBITY_PROFILE";
/// The variable that names a solver of specs: no setting of a test, but no mistake either.
const SOLVER: &str = "PROBITY_SOLVER";
/// The variable that says that this is a part of a campaign.
const CAMPAIGN: &str = "PROBITY_CAMPAIGN";
/// The profile that is chosen where nothing else says so and `CI` is set.
const CI_PROFILE: &str = "ci";

/// The settings of one test. Its `Display` form is a table of them with the origin of each.
///
/// ```
/// use probity::settings::{Env, File, Key, Origin, Settings};
/// let file = File::parse("probity.toml".into(), "cases = 100\ntime = \"2m\"\n")?;
/// let test = [(Key::Cases, "200".to_string())];
/// let env: Env = [("PROBITY_SEED", "0x2a")].into_iter().collect();
/// let settings = Settings::resolve("my_crate".as_ref(), Some(&file), &test, &env)?;
/// assert_eq!((settings.cases, settings.seed), (200, Some(42)));
/// assert_eq!(*settings.origin(Key::Cases), Origin::Test);
/// assert!(settings.to_string().contains("time         2m  "));
/// # Ok::<(), probity::settings::SettingsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// How many cases a search runs that are not rejected; at least 1. Where nobody set it, a test that gives
    /// a score gets 10,000, but after its first 1000 only until 2 seconds are over, unless `time` is set.
    pub cases: u64,
    /// How long a search lasts at most. A search that runs out of time has not failed.
    pub time: Duration,
    /// What all random answers follow from. None: fresh for each run, or under [`ci`](Settings::ci)
    /// derived from the test's name.
    pub seed: Option<u64>,
    /// Which engine answers. `auto` visits every input where there are few, and else is
    /// `targeted`, which is `random` until the test gives a score by [`maximize`](crate::maximize) or
    /// What random cases leave out of the arms of `one_of!` and `steps!` and of the variants of derived enums.
    pub swarm: Swarm,
    /// [`minimize`](crate::minimize), and then `concolic` for as long as that setting says.
    pub engine: EngineKind,
    /// How the temperature of the targeted engine falls: `spread`, `linear`, `geometric` or `hill-climbing`;
    /// `linear 10` and `geometric 10` begin at temperature 10, in the unit of the score.
    pub schedule: Schedule,
    /// The greatest size of an input that the exhaustive engine visits; see
    /// [`Trace::size`](crate::engine::Trace::size). None: as far as `cases` and `time` go.
    pub size: Option<u64>,
    /// Which part of the random cases, or of the inputs that the exhaustive engine visits, is run: the first number of the second, from 1.
    pub shard: Option<(u64, u64)>,
    /// With which input the exhaustive engine starts, in order of size.
    pub start: u64,
    /// How long the concolic engine may go on in a default run, after the random cases. None: it does not run. Where
    /// nobody set it, it is less after many quick tests, so that a suite does not get much slower.
    pub concolic: Option<Duration>,
    /// Which inputs the test is to be proved for, after the search has found nothing. The concolic engine gets as long again as
    /// the search had.
    pub prove: ProofGoal,
    /// Whether cases run in a process of their own, so that a crash, an exit or a hang is a finding.
    pub isolate: bool,
    /// How many cases shrinking may run.
    pub max_shrink: u64,
    /// How many rejected cases are allowed for each wanted case.
    pub max_rejects: u32,
    /// How long one case may take before its input is named. None: forever.
    pub hang: Option<Duration>,
    /// The folder of stored failures. None: nothing is read or written.
    pub store: Option<PathBuf>,
    /// Where cases are kept that reached what none had reached, by the coverage engine.
    pub corpus: CorpusPlace,
    /// Whether a failure is explained.
    pub explain: bool,
    /// Where events are written.
    pub events: Option<PathBuf>,
    /// Whether reports are colored.
    pub color: Color,
    /// What to run instead of a search: the path of a stored failure, or choices.
    pub replay: Option<String>,
    /// Whether a passing test says what it did.
    pub verbose: bool,
    /// Whether this is continuous integration: the variable `CI` is set, and not to `false` or `0`.
    pub ci: bool,
    /// Whether this is a part of a campaign: the variable `PROBITY_CAMPAIGN` is set, as `cargo probity fuzz` does.
    pub campaign: CampaignMode,
    origins: [Origin; Key::ALL.len()],
}

/// Which inputs a test is to be proved for.
///
/// ```
/// use probity::settings::{Env, ProofGoal, Settings};
/// let env: Env = [("PROBITY_PROVE", "6")].into_iter().collect();
/// assert_eq!(Settings::resolve("".as_ref(), None, &[], &env)?.prove, ProofGoal::UpTo(6));
/// # Ok::<(), probity::settings::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofGoal {
    /// Nobody asks for a proof.
    Off,
    /// For all there are, or as far as time allows.
    EveryInput,
    /// For every input of at most this many choices.
    UpTo(u32),
}

/// Whether reports are colored.
///
/// ```
/// use probity::settings::{Color, Env, Settings};
/// let env: Env = [("NO_COLOR", "1")].into_iter().collect();
/// assert_eq!(Settings::resolve("".as_ref(), None, &[], &env)?.color, Color::Never);
/// # Ok::<(), probity::settings::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// Whether a run is a part of a campaign.
///
/// ```
/// use probity::settings::{CampaignMode, Env, Settings};
/// let env: Env = [("PROBITY_CAMPAIGN", "1")].into_iter().collect();
/// assert_eq!(Settings::resolve("".as_ref(), None, &[], &env)?.campaign, CampaignMode::On);
/// # Ok::<(), probity::settings::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CampaignMode {
    /// It is a run as any other.
    Off,
    /// Stored failures are known: they are not run first, and the coverage engine passes over failures like them.
    On,
    /// Only the corpus is run, and cases are removed from it that reach nothing that smaller ones do not.
    Minimize,
}

/// Where the coverage engine keeps its corpus.
///
/// ```
/// use probity::settings::{CorpusPlace, Env, Settings};
/// let corpus = |text: &str| {
///     let env: Env = [("PROBITY_CORPUS", text)].into_iter().collect();
///     Settings::resolve("my_crate".as_ref(), None, &[], &env).unwrap().corpus
/// };
/// assert_eq!(corpus("off"), CorpusPlace::Off);
/// assert_eq!(corpus("found"), CorpusPlace::Folder("my_crate/found".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorpusPlace {
    /// In `probity-corpus` beside the build: in cargo's target folder, which CI caches keep.
    Auto,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    Off,
}

/// Where the value of a setting came from.
///
/// ```
/// use probity::settings::Origin;
/// let origin = Origin::File { path: "probity.toml".into(), line: 3, profile: Some("ci".into()) };
/// assert_eq!(origin.to_string(), "probity.toml:3 (profile ci)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A line of `probity.toml`.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The section, where it is not at the top.
        profile: Option<String>,
    },
    /// The test itself, by attribute or builder.
    Test,
    /// A variable of the environment.
    Env {
        /// Its name.
        name: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line, profile: None } => write!(f, "{}:{line}", path.display()),
            Origin::File { path, line, profile: Some(name) } => {
                write!(f, "{}:{line} (profile {name})", path.display())
            }
            Origin::Test => f.write_str("this test"),
            Origin::Env { name } => f.write_str(name),
        }
    }
}

/// A setting that cannot be used: names the place and says what is expected there.
///
/// ```
/// use probity::settings::{Env, Settings};
/// let env: Env = [("PROBITY_CASES", "ten")].into_iter().collect();
/// let err = Settings::resolve("".as_ref(), None, &[], &env).unwrap_err();
/// let expected = "`PROBITY_CASES` is `ten`: expected a whole number of at least 1, such as 1000";
/// assert_eq!(err.to_string(), expected);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError(String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsError {}

/// The variables of an environment.
///
/// ```
/// use probity::settings::Env;
/// let env: Env = std::env::vars_os().collect();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Env(SortedMap<OsString, OsString>);

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let mut res = Env::default();
        for (name, value) in variables {
            *res.0.entry(name.into(), OsString::new) = value.into();
        }
        res
    }
}

impl Env {
    /// Whether the variable is set, and not to one of `except`.
    fn is_set(&self, name: &str, except: &[&str]) -> bool {
        let value = self.0.get(OsStr::new(name));
        value.is_some_and(|it| !it.is_empty() && !except.iter().any(|except| it == except))
    }

    fn get(&self, name: &str) -> Result<Option<&str>, SettingsError> {
        let Some(value) = self.0.get(OsStr::new(name)) else { return Ok(None) };
        match value.to_str() {
            Some(text) => Ok(Some(text).filter(|it| !it.is_empty())),
            None => Err(SettingsError(format!("`{name}` is not UTF-8: {value:?}"))),
        }
    }

    /// A mistyped variable would silently do nothing.
    fn check_names(&self) -> Result<(), SettingsError> {
        let mut known = Key::ALL.map(Key::variable).to_vec();
        known.extend(
            [PROFILE, SOLVER, CAMPAIGN]
                .into_iter()
                .chain(fuzzer::VARIABLES)
                .chain(crate::run::blocks::VARIABLES)
                .map(str::to_string),
        );
        for name in self.0.keys().map(|it| it.to_string_lossy()) {
            if name.starts_with("PROBITY_") && !known.iter().any(|it| *it == name) {
                return Err(SettingsError(format!(
                    "unknown variable `{}`; {}",
                    key::shortened(&name),
                    key::suggest(&name, &known)
                )));
            }
        }
        Ok(())
    }
}

impl Settings {
    /// The settings of a test in the package whose `Cargo.toml` is in the folder `package`. Reads the
    /// environment and `probity.toml`; `test` is what the test's attribute or builder says.
    ///
    /// ```no_run
    /// use probity::settings::{Key, Settings};
    /// let test = [(Key::Cases, "200".to_string())];
    /// let settings = Settings::load(env!("CARGO_MANIFEST_DIR").as_ref(), &test)?;
    /// # Ok::<(), probity::settings::SettingsError>(())
    /// ```
    pub fn load(package: &Path, test: &[(Key, String)]) -> Result<Settings, SettingsError> {
        let file = File::find(package)?;
        Settings::resolve(package, file.as_ref(), test, &std::env::vars_os().collect())
    }

    /// As [`load`](Settings::load), from values alone.
    pub fn resolve(
        package: &Path,
        file: Option<&File>,
        test: &[(Key, String)],
        env: &Env,
    ) -> Result<Settings, SettingsError> {
        env.check_names()?;
        let mut res = Settings::defaults(package, env.is_set("CI", &["false", "0"]));
        res.campaign = match env.get(CAMPAIGN)? {
            None | Some("false" | "0") => CampaignMode::Off,
            Some("minimize") => CampaignMode::Minimize,
            Some("true" | "1") => CampaignMode::On,
            Some(other) => {
                let (is, expected) = (key::shortened(other), "true, false or minimize");
                return Err(SettingsError(format!("`{CAMPAIGN}` is `{is}`: expected {expected}")));
            }
        };
        let profile = chosen_profile(package, file, env, res.ci)?;
        if let Some(file) = file {
            res.apply_file(package, file, profile)?;
        }
        for (key, text) in test {
            res.apply(*key, text, package, Origin::Test)?;
        }
        let colors = [("CLICOLOR_FORCE", &["0"][..], Color::Always), ("NO_COLOR", &[], Color::Never)];
        for (name, except, color) in colors {
            if env.is_set(name, except) {
                res.color = color;
                res.origins[Key::Color as usize] = Origin::Env { name: name.to_string() };
            }
        }
        for key in Key::ALL {
            let name = key.variable();
            if let Some(text) = env.get(&name)? {
                // Who asks for all proofs is content with what a test says of its own.
                if key == Key::Prove
                    && key::proof_goal(text) == Some(ProofGoal::EveryInput)
                    && matches!(res.prove, ProofGoal::UpTo(_))
                {
                    continue;
                }
                res.apply(key, text, package, Origin::Env { name })?;
            }
        }
        Ok(res)
    }

    /// Where the value of a setting came from.
    pub fn origin(&self, key: Key) -> &Origin {
        &self.origins[key as usize]
    }

    /// Whether nobody has set it.
    pub(crate) fn is_default(&self, key: Key) -> bool {
        *self.origin(key) == Origin::Default
    }

    fn defaults(package: &Path, ci: bool) -> Settings {
        Settings {
            cases: 1000,
            time: Duration::from_secs(10),
            seed: None,
            swarm: Swarm::On,
            engine: EngineKind::Auto,
            schedule: Schedule::Spread,
            size: None,
            shard: None,
            start: 0,
            concolic: Some(Duration::from_millis(200)),
            prove: ProofGoal::Off,
            isolate: false,
            max_shrink: 10_000,
            max_rejects: 10,
            hang: Some(Duration::from_secs(30)),
            store: Some(package.join(STORE)),
            corpus: CorpusPlace::Auto,
            explain: true,
            events: None,
            color: Color::Auto,
            replay: None,
            verbose: false,
            ci,
            campaign: CampaignMode::Off,
            origins: [const { Origin::Default }; Key::ALL.len()],
        }
    }

    /// Applies the top of the file, then the chosen profile. The other profiles are only checked.
    fn apply_file(
        &mut self,
        package: &Path,
        file: &File,
        profile: Option<&str>,
    ) -> Result<(), SettingsError> {
        let mut checked = self.clone();
        for it in &file.assignments {
            let origin = Origin::File { path: file.path.clone(), line: it.line, profile: it.profile.clone() };
            let is_in_force = it.profile.is_none() || it.profile.as_deref() == profile;
            let target = if is_in_force { &mut *self } else { &mut checked };
            target.apply(it.key, &it.text, package, origin)?;
        }
        Ok(())
    }

    fn apply(&mut self, key: Key, text: &str, package: &Path, origin: Origin) -> Result<(), SettingsError> {
        let name = key.name();
        let place = match &origin {
            Origin::File { path, line, .. } => format!("{}:{line}: `{name}`", path.display()),
            Origin::Env { name } => format!("`{name}`"),
            Origin::Test | Origin::Default => format!("`{name}` of this test"),
        };
        if key == Key::Replay && !matches!(origin, Origin::Env { .. }) {
            return Err(SettingsError(format!("{place} is for one run only; set `{}`", key.variable())));
        }
        let base = match &origin {
            Origin::File { path, .. } => path.parent().unwrap_or(package),
            _ => package,
        };
        self.set(key, text, base, package).ok_or_else(|| {
            let text = key::shortened(text);
            SettingsError(format!("{place} is `{text}`: expected {}", key.expected()))
        })?;
        self.origins[key as usize] = origin;
        Ok(())
    }

    /// Sets one key, or returns None where the text does not fit it. Paths are relative to `base`.
    fn set(&mut self, key: Key, text: &str, base: &Path, package: &Path) -> Option<()> {
        let path = |text: &str| (!text.is_empty()).then(|| base.join(text));
        match key {
            Key::Cases => self.cases = key::number(text).filter(|it| *it > 0)?,
            Key::Time => self.time = key::duration(text)?,
            Key::Seed => self.seed = Some(key::number(text)?),
            Key::Swarm => self.swarm = key::swarm(text)?,
            Key::Engine => self.engine = EngineKind::named(text)?,
            Key::Schedule => self.schedule = key::schedule(text)?,
            Key::Size => self.size = if text == "off" { None } else { Some(key::number(text)?) },
            Key::Shard => self.shard = if text == "off" { None } else { Some(key::shard(text)?) },
            Key::Start => self.start = key::number(text)?,
            Key::Concolic => self.concolic = if text == "off" { None } else { Some(key::duration(text)?) },
            Key::Prove => self.prove = key::proof_goal(text)?,
            Key::Isolate => self.isolate = key::truth(text)?,
            Key::MaxShrink => self.max_shrink = key::number(text)?,
            Key::MaxRejects => self.max_rejects = key::number(text)?.try_into().ok()?,
            Key::Hang => self.hang = if text == "off" { None } else { Some(key::duration(text)?) },
            Key::Store => {
                self.store = match key::truth(text) {
                    Some(on) => on.then(|| package.join(STORE)),
                    None => Some(path(text)?),
                }
            }
            Key::Corpus => {
                self.corpus = match text {
                    "auto" => CorpusPlace::Auto,
                    "off" => CorpusPlace::Off,
                    _ => CorpusPlace::Folder(path(text)?),
                }
            }
            Key::Explain => self.explain = key::truth(text)?,
            Key::Events => self.events = if text == "off" { None } else { Some(path(text)?) },
            Key::Color => {
                self.color = match text {
                    "auto" => Color::Auto,
                    "always" => Color::Always,
                    "never" => Color::Never,
                    _ => return None,
                }
            }
            Key::Replay => self.replay = Some(text.to_string()),
            Key::Verbose => self.verbose = key::truth(text)?,
        }
        Some(())
    }

    /// Whether what is shown of it, written again, means the same: see `readers`.
    #[cfg(feature = "spec")]
    pub(crate) fn means_what_it_shows(&self) -> bool {
        let is_path = |key| matches!(key, Key::Store | Key::Corpus | Key::Events | Key::Replay);
        let keys =
            Key::ALL.into_iter().filter(|it| !is_path(*it) && (*it != Key::Seed || self.seed.is_some()));
        let mut again = self.clone();
        let all = keys
            .into_iter()
            .all(|key| again.set(key, &self.text(key), Path::new(""), Path::new("")).is_some());
        all && again == *self
    }

    /// The value of a key, as a user would write it where that is possible.
    fn text(&self, key: Key) -> String {
        let path =
            |it: &Option<PathBuf>| it.as_ref().map_or("off".to_string(), |it| it.display().to_string());
        match key {
            Key::Cases => self.cases.to_string(),
            Key::Time => key::duration_text(self.time),
            Key::Seed => match self.seed {
                Some(seed) => seed.to_string(),
                None if self.ci => "from the test's name".to_string(),
                None => "fresh".to_string(),
            },
            Key::Swarm => key::swarm_text(self.swarm),
            Key::Engine => self.engine.to_string(),
            Key::Schedule => key::schedule_text(self.schedule),
            Key::Size => self.size.map_or("off".to_string(), |it| it.to_string()),
            Key::Shard => self.shard.map_or("off".to_string(), |(part, of)| format!("{part}/{of}")),
            Key::Start => self.start.to_string(),
            Key::Concolic => self.concolic.map_or("off".to_string(), key::duration_text),
            Key::Prove => key::proof_goal_text(self.prove),
            Key::Isolate => self.isolate.to_string(),
            Key::MaxShrink => self.max_shrink.to_string(),
            Key::MaxRejects => self.max_rejects.to_string(),
            Key::Hang => self.hang.map_or("off".to_string(), key::duration_text),
            Key::Store => path(&self.store),
            Key::Corpus => match &self.corpus {
                CorpusPlace::Auto => "auto".to_string(),
                CorpusPlace::Folder(it) => it.display().to_string(),
                CorpusPlace::Off => "off".to_string(),
            },
            Key::Explain => self.explain.to_string(),
            Key::Events => path(&self.events),
            Key::Color => format!("{:?}", self.color).to_ascii_lowercase(),
            Key::Replay => self.replay.clone().unwrap_or("off".to_string()),
            Key::Verbose => self.verbose.to_string(),
        }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = Key::ALL.map(|key| self.text(key));
        let widest = |lengths: [usize; Key::ALL.len()]| lengths.into_iter().max().unwrap_or(0);
        let names = widest(Key::ALL.map(|key| key.name().len()));
        let values = widest(texts.each_ref().map(|it| it.chars().count()));
        for (key, text) in Key::ALL.into_iter().zip(texts) {
            writeln!(f, "{:names$}  {text:values$}  {}", key.name(), self.origin(key))?;
        }
        Ok(())
    }
}

/// The profile to use, which exists in the file; `default` may be named to use none.
fn chosen_profile<'a>(
    package: &Path,
    file: Option<&'a File>,
    env: &'a Env,
    ci: bool,
) -> Result<Option<&'a str>, SettingsError> {
    let profiles = file.map_or(&[][..], File::profiles);
    let exists = |name: &str| profiles.iter().any(|it| it == name);
    match env.get(PROFILE)? {
        Some(name) if exists(name) => Ok(Some(name)),
        None if ci && exists(CI_PROFILE) => Ok(Some(CI_PROFILE)),
        None | Some("default") => Ok(None),
        Some(name) => {
            let why = match file {
                None => format!("no probity.toml was found at `{}` or above it", package.display()),
                Some(file) => {
                    format!("`{}` has no such profile; {}", file.path.display(), key::suggest(name, profiles))
                }
            };
            let (name, why) = (key::shortened(name), key::shortened(&why));
            Err(SettingsError(format!("`{PROFILE}` is `{name}`: {why}")))
        }
    }
}

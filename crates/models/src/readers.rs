//! The reader of this crate, with the law that holds for whatever it is given: for tests of ours that give it malformed
//! texts, and for nobody else.

use probity_spec::regex::readers::Reader;

use crate::solve::smt::reread;

/// All of them.
pub const READERS: [Reader; 1] = [Reader {
    name: "solver's answer",
    samples: &[
        "sat\n((x 3) (|odd name| (- 12)) (t \"a\"\"b\"))\n(:reason-unknown \"(incomplete)\")\nunsat\n",
    ],
    words: &["(", ")", "\"", "|", "sat", "(- 1)", "99999999999999999999999999999999999999999", "\n", " "],
    read: reread,
    mend: None,
}];

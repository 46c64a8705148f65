//! Run-length coding. The mistake: a run of 256 is written as one of none.

/// Pairs of a length and a byte.
pub fn compress(data: &[u8]) -> Vec<u8> {
    let mut res: Vec<u8> = Vec::new();
    for run in data.chunk_by(|a, b| a == b) {
        res.extend([run.len() as u8, run[0]]);
    }
    res
}

/// The bytes again; nothing for what was not written by [`compress`].
pub fn decompress(data: &[u8]) -> Option<Vec<u8>> {
    if !data.len().is_multiple_of(2) {
        return None;
    }
    Some(data.chunks(2).flat_map(|it| vec![it[1]; it[0].into()]).collect())
}

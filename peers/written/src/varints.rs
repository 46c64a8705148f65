//! Numbers of as many bytes as they need. The mistake: the decoder drops the highest bit of the tenth byte's place.

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
pub fn encode(mut number: u64) -> Vec<u8> {
    let mut res = Vec::new();
    while number >= 0x80 {
        res.push(number as u8 | 0x80);
        number >>= 7;
    }
    res.push(number as u8);
    res
}

/// The number, if these bytes are one.
pub fn decode(bytes: &[u8]) -> Option<u64> {
    let (last, rest) = bytes.split_last()?;
    let is_one = rest.iter().all(|it| it & 0x80 != 0) && last & 0x80 == 0 && rest.len() < 10;
    let parts = bytes.iter().take(9).enumerate().map(|(i, it)| u64::from(it & 0x7f) << (7 * i));
    is_one.then(|| parts.fold(0, |a, b| a | b))
}

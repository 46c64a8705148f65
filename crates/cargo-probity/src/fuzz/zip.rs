//! Zip files, as corpora are handed over: each file stored as it is.

/// A file with its name.
pub(super) type NamedFile = (String, Vec<u8>);

/// A zip file with these files, none of which is larger than 4 GB.
pub(super) fn stored(files: &[NamedFile]) -> Vec<u8> {
    let mut res = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in files {
        let offset = res.len() as u32;
        // What both records of a file have: version, flags, method, time, date, checksum, sizes, length of the name.
        let mut shared: Vec<u8> = Vec::new();
        for it in [20_u16, 0, 0, 0, 0x21] {
            shared.extend(it.to_le_bytes());
        }
        for it in [crc(bytes), bytes.len() as u32, bytes.len() as u32] {
            shared.extend(it.to_le_bytes());
        }
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend(0_u16.to_le_bytes());
        res.extend(*b"PK\x03\x04");
        res.extend(&shared);
        res.extend(name.bytes());
        res.extend(bytes);
        directory.extend(*b"PK\x01\x02\x14\x00");
        directory.extend(&shared);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.bytes());
    }
    let start = res.len() as u32;
    let count = (files.len() as u16).to_le_bytes();
    res.extend(&directory);
    res.extend(*b"PK\x05\x06\x00\x00\x00\x00");
    res.extend([count, count].concat());
    res.extend((directory.len() as u32).to_le_bytes());
    res.extend(start.to_le_bytes());
    res.extend([0; 2]);
    res
}

/// The checksum of zip files.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |it, _| (it >> 1) ^ (0xedb8_8320 * (it & 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_say_where_files_are() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926, "the check value of this checksum");
        let zip = stored(&[("a".to_string(), b"one".to_vec()), ("bc".to_string(), Vec::new())]);
        let first = 30 + 1 + 3;
        assert_eq!(&zip[first..first + 4], b"PK\x03\x04");
        let directory = first + 30 + 2;
        assert_eq!(&zip[directory..directory + 4], b"PK\x01\x02");
        let second = directory + 46 + 1;
        assert_eq!(zip[second + 42..second + 46], (first as u32).to_le_bytes());
        let end = second + 46 + 2;
        assert_eq!((&zip[end..end + 4], zip.len()), (&b"PK\x05\x06"[..], end + 22));
        assert_eq!(zip[end + 16..end + 20], (directory as u32).to_le_bytes());
    }
}

//! Types that implement `Arbitrary`, of the crate `arbitrary`.

use arbitrary::{Arbitrary, Unstructured};
use probity_core::{Combine, Generator, Source, SpanKind, bytes, from};

/// How many bytes beyond the least that a type needs are drawn, for each unit of the size budget. An
/// item of a list takes a few bytes, one of them to say that the list goes on.
const BYTES: usize = 4;

/// The generator of a type that implements `Arbitrary`: draws bytes and lets the type read them, so that
/// it shrinks as its bytes do. Bytes that the type refuses are drawn again; after a few tries the case is
/// rejected, and the report counts it against the line of this call.
///
/// ```
/// use probity::{from_arbitrary, sample};
/// let (word, number): (String, Option<u16>) = sample(&from_arbitrary(), 7);
/// ```
#[track_caller]
pub fn from_arbitrary<T: for<'a> Arbitrary<'a>>() -> impl Combine<Value = T> {
    from(read::<T>).filter(Option::is_some).map(|it| it.expect("a filter stands before"))
}

fn read<T: for<'a> Arbitrary<'a>>(source: &mut Source) -> Option<T> {
    let data = match T::size_hint(0) {
        (least, Some(most)) if least == most => words(source, least),
        (least, most) => {
            let loose = least + source.size() as usize * BYTES;
            let most = most.map_or(loose, |most| most.clamp(least, loose));
            let mut data = bytes(least..=most).generate(source);
            // Lengths are read from the end. Shrinking makes the first choices simple first, and those
            // should be the ones that matter most.
            data.reverse();
            data
        }
    };
    T::arbitrary_take_rest(Unstructured::new(&data)).ok()
}

/// The bytes of a type that has always the same number of them, and so no lists. They are mostly numbers,
/// which are read with the lowest byte first, and numbers of several bytes shrink best as one choice.
fn words(source: &mut Source, n_bytes: usize) -> Vec<u8> {
    let mut res = vec![0; n_bytes];
    source.span("words", SpanKind::Group, |src| {
        for word in res.chunks_mut(4).rev() {
            let drawn = src.int(0, u32::MAX >> (32 - 8 * word.len()));
            word.copy_from_slice(&drawn.to_le_bytes()[..word.len()]);
        }
    });
    res
}

//! A field that there is not.

#[derive(Debug, probity::Generate)]
pub struct Span {
    pub from: u32,
    pub to: u32,
}

#[probity::contract]
#[requires(span.from < span.until)] //~
pub fn length(span: &Span) -> u32 {
    span.to - span.from
}

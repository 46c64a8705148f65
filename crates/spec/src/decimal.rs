//! Exact decimals.

use std::cmp::Ordering;
use std::fmt;

/// An exact decimal, `mantissa / 10^scale`, kept with the least scale so that equal numbers are equal values.
///
/// ```
/// use probity_spec::Decimal;
/// assert_eq!(Decimal::new(1250, 2), Decimal::new(125, 1));
/// assert_eq!(Decimal::new(-1205, 2).to_string(), "-12.05");
/// assert_eq!("0.50".parse(), Ok(Decimal::new(5, 1)));
/// let price = Decimal::new(1250, 2);
/// assert_eq!((price.mantissa(), price.scale(), price.at_scale(2)), (125, 1, Some(1250)));
/// assert_eq!(price.checked_add(price), Some(Decimal::new(25, 0)));
/// assert_eq!(price.checked_mul(Decimal::new(-1, 0)), price.checked_neg());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i128,
    scale: u32,
}

impl Decimal {
    /// `mantissa / 10^scale`.
    pub fn new(mantissa: i128, scale: u32) -> Decimal {
        let (mut mantissa, mut scale) = (mantissa, scale);
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        Decimal { mantissa, scale }
    }

    /// The number without its point.
    pub fn mantissa(self) -> i128 {
        self.mantissa
    }

    /// How many digits stand after the point.
    pub fn scale(self) -> u32 {
        self.scale
    }

    /// The mantissa with `scale` digits after the point, unless digits would be lost or overflow.
    pub fn at_scale(self, scale: u32) -> Option<i128> {
        let more = scale.checked_sub(self.scale)?;
        10_i128.checked_pow(more)?.checked_mul(self.mantissa)
    }

    /// The sum, unless it overflows.
    pub fn checked_add(self, other: Decimal) -> Option<Decimal> {
        let scale = self.scale.max(other.scale);
        Some(Decimal::new(self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?, scale))
    }

    /// The product, unless it overflows.
    pub fn checked_mul(self, other: Decimal) -> Option<Decimal> {
        Some(Decimal::new(self.mantissa.checked_mul(other.mantissa)?, self.scale + other.scale))
    }

    /// The negated number, unless it overflows.
    pub fn checked_neg(self) -> Option<Decimal> {
        Some(Decimal { mantissa: self.mantissa.checked_neg()?, scale: self.scale })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let scale = self.scale.max(other.scale);
        match (self.at_scale(scale), other.at_scale(scale)) {
            (Some(this), Some(that)) => this.cmp(&that),
            // Only one can overflow: the one with fewer digits after the point; it is the larger in size.
            (None, _) => self.mantissa.signum().cmp(&0),
            (_, None) => 0.cmp(&other.mantissa.signum()),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let digits = format!("{:0width$}", self.mantissa.unsigned_abs(), width = self.scale as usize + 1);
        let (whole, part) = digits.split_at(digits.len() - self.scale as usize);
        let sign = if self.mantissa < 0 { "-" } else { "" };
        if part.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{part}") }
    }
}

impl std::str::FromStr for Decimal {
    type Err = ();

    /// Reads digits with at most one point and an optional minus sign.
    fn from_str(text: &str) -> Result<Decimal, ()> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let whole_digits = whole.strip_prefix('-').unwrap_or(whole);
        let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        if whole_digits.is_empty() || !digits(whole_digits) || !digits(part) || text.ends_with('.') {
            return Err(());
        }
        let mantissa: i128 = format!("{whole}{part}").parse().map_err(|_| ())?;
        Ok(Decimal::new(mantissa, part.len() as u32))
    }
}

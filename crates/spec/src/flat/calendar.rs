//! Parts of a date as arithmetic on its days since 1970.

use super::{Expr, add, div, ite, lt, modulo, mul, sub};

/// The arithmetic of [`Date::ymd`](crate::Date::ymd), over expressions: the year that begins in March, the month
/// counted from it, the day.
struct CalendarParts {
    year: Expr,
    month: Expr,
    day: Expr,
}

fn parts(days: &Expr) -> CalendarParts {
    let int = Expr::int;
    let by = |of: &Expr, divisor: i128| div(of.clone(), int(divisor));
    let days = add([days.clone(), int(719_468)]);
    let of_era = modulo(days.clone(), int(146_097));
    let whole = add([
        of_era.clone(),
        mul(int(-1), by(&of_era, 1460)),
        by(&of_era, 36_524),
        mul(int(-1), by(&of_era, 146_096)),
    ]);
    let year = by(&whole, 365);
    let before = add([mul(int(365), year.clone()), by(&year, 4), mul(int(-1), by(&year, 100))]);
    let of_year = sub(of_era, before);
    let month = by(&add([mul(int(5), of_year.clone()), int(2)]), 153);
    let first = by(&add([mul(int(153), month.clone()), int(2)]), 5);
    let day = add([of_year, mul(int(-1), first), int(1)]);
    CalendarParts { year: add([mul(int(400), by(&days, 146_097)), year]), month, day }
}

/// The year.
pub(super) fn year(days: &Expr) -> Expr {
    let it = parts(days);
    add([it.year, ite(lt(it.month, Expr::int(10)), Expr::int(0), Expr::int(1))])
}

/// The month, from 1.
pub(super) fn month(days: &Expr) -> Expr {
    let it = parts(days).month;
    add([it.clone(), ite(lt(it, Expr::int(10)), Expr::int(3), Expr::int(-9))])
}

/// The day of the month, from 1.
pub(super) fn day(days: &Expr) -> Expr {
    parts(days).day
}

/// The day of the week, Monday is 1; 1970 began on a Thursday.
pub(super) fn weekday(days: &Expr) -> Expr {
    add([modulo(add([days.clone(), Expr::int(3)]), Expr::int(7)), Expr::int(1)])
}

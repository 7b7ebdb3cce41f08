//! Days, put together into as many slots as a chart has room for.

use super::rows::add;
use crate::ledger::{Report, Row};

/// More slots than this are too thin to be seen on a phone. It is also how long the ledger remembers.
const MOST_SLOTS: i64 = 92;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// All time from the first call to the last, in slots of equal length. Days without calls are there.
pub(super) struct Days {
    pub(super) slots: Vec<Slot>,
    /// Days of each slot.
    pub(super) each: i64,
    first: i64,
    last: i64,
    /// Sums that belong to no day: answers to reads of originals whose call is not in the ledger.
    pub(super) unplaced: Option<Row>,
}

#[derive(Default)]
pub(super) struct Slot {
    /// Its first day, counted from 1970.
    first: i64,
    /// Without a name.
    pub(super) sums: Row,
}

impl Days {
    pub(super) fn of(report: &Report) -> Days {
        let dated = |row: &Row| row.name.as_deref().and_then(parse);
        let numbers = || report.rows.iter().filter_map(dated);
        let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(-1));
        let span = last - first + 1;
        // Whole weeks, so that a slot without a weekend does not look like a lean one.
        let each = if span <= MOST_SLOTS {
            1
        } else {
            7 * ((span + 7 * MOST_SLOTS - 1) / (7 * MOST_SLOTS))
        };
        let slots = (first..=last).step_by(each as usize);
        let mut slots: Vec<Slot> = slots
            .map(|first| Slot {
                first,
                ..Slot::default()
            })
            .collect();
        let mut unplaced = Row::default();
        for row in &report.rows {
            let slot = dated(row).and_then(|day| slots.get_mut(((day - first) / each) as usize));
            add(slot.map_or(&mut unplaced, |slot| &mut slot.sums), row);
        }
        let has_unplaced = unplaced.calls > 0 || unplaced.reads > 0;
        Days {
            slots,
            each,
            first,
            last,
            unplaced: has_unplaced.then_some(unplaced),
        }
    }

    /// The times of the first and the last call.
    pub(super) fn range(&self) -> String {
        match (self.last - self.first).cmp(&0) {
            std::cmp::Ordering::Less => "No day".to_owned(),
            std::cmp::Ordering::Equal => date(self.first),
            std::cmp::Ordering::Greater => {
                format!("{} to {}", date(self.first), date(self.last))
            }
        }
    }

    /// The name of a slot: "day", "week", "4 weeks".
    pub(super) fn unit(&self) -> String {
        match self.each {
            1 => "day".to_owned(),
            7 => "week".to_owned(),
            days => format!("{} weeks", days / 7),
        }
    }

    /// The date of a slot, or its first and last.
    pub(super) fn name(&self, slot: &Slot) -> String {
        let last = (slot.first + self.each - 1).min(self.last);
        if last == slot.first {
            return date(slot.first);
        }
        format!("{} to {}", date(slot.first), date(last))
    }

    /// Its first day, short enough for an axis.
    pub(super) fn label(&self, slot: &Slot) -> String {
        let (year, month, day) = civil(slot.first);
        let month = MONTHS[month as usize - 1];
        if self.last - self.first > 366 {
            return format!("{month} {year}");
        }
        format!("{day} {month}")
    }
}

/// `2026-11-01` as days since 1970. The ledger makes these names, of years with four digits.
fn parse(name: &str) -> Option<i64> {
    let mut parts = name.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    ((1..=12).contains(&month) && parts.next().is_none()).then(|| number(year, month, day))
}

/// Days from 1970-01-01, by counting years from March on, so that a leap day is the last of its year.
fn number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

/// Year, month and day.
fn civil(number: i64) -> (i64, i64, i64) {
    let days = number + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    (year + 400 * era + i64::from(month <= 2), month, day)
}

fn date(number: i64) -> String {
    let (year, month, day) = civil(number);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(days: &[&str]) -> Report {
        let row = |name: &&str| Row {
            name: Some((*name).to_owned()),
            calls: 1,
            tokens_before: 10,
            ..Row::default()
        };
        Report {
            rows: days.iter().map(row).collect(),
            ..Report::default()
        }
    }

    #[test]
    fn every_day_has_a_number_and_every_number_a_day() {
        assert_eq!(parse("1970-01-01"), Some(0));
        assert_eq!(parse("2000-02-29"), Some(11_016));
        let mut expected = parse("1999-12-31").expect("a day");
        for year in 2000..=2030 {
            for (month, days) in [(2, if year % 4 == 0 { 29 } else { 28 }), (3, 31)] {
                for day in [1, days] {
                    let name = format!("{year}-{month:02}-{day:02}");
                    let found = parse(&name).expect("a day");
                    assert!(found > expected, "{name}");
                    assert_eq!(date(found), name);
                    expected = found;
                }
            }
        }
        assert_eq!(parse("2026-11"), None);
    }

    #[test]
    fn days_without_calls_have_a_place() {
        let days = Days::of(&report(&["2026-02-27", "2026-03-02"]));
        let calls: Vec<u64> = days.slots.iter().map(|slot| slot.sums.calls).collect();
        assert_eq!((calls, days.each), (vec![1, 0, 0, 1], 1));
        assert_eq!(days.range(), "2026-02-27 to 2026-03-02");
        assert_eq!(days.label(&days.slots[1]), "28 Feb");
    }

    #[test]
    fn a_clock_that_was_wrong_does_not_make_a_million_slots() {
        let days = Days::of(&report(&["1970-01-01", "2026-11-22", "9999-12-31"]));
        assert!(days.slots.len() as i64 <= MOST_SLOTS && days.each % 7 == 0);
        assert_eq!(
            days.slots.iter().map(|slot| slot.sums.calls).sum::<u64>(),
            3
        );
        let long = Days::of(&report(&["2026-01-01", "2026-06-30"]));
        assert_eq!((long.unit(), long.slots.len()), ("week".to_owned(), 26));
        let name = long.name(&long.slots[25]);
        assert_eq!(name, "2026-06-25 to 2026-06-30", "the last one is cut off");
    }

    #[test]
    fn what_has_no_day_is_kept_apart() {
        let mut some = report(&["2026-11-01"]);
        some.rows.push(Row {
            reads: 1,
            reread_tokens: 7,
            ..Row::default()
        });
        let days = Days::of(&some);
        assert_eq!(days.unplaced.expect("a row").reread_tokens, 7);
        assert!(Days::of(&report(&[])).slots.is_empty());
    }
}

//! The kinds of values in a column: how the database stores them, and what a query must be told of them.
//!
//! Owns the choice between numbers and texts, and the words of the notes. Refuses to know where the values stand.

use super::conversion::{Conversion, boolean, is_bare, is_blank, is_null};
use super::database::Value;
use super::forms::{Form, Forms, are_alike};
use super::names::spelled;
use super::reading::{Reading, Spelling};
use super::usage::{Usage, Use};

/// The collation of texts that are numbers: equal if the numbers are.
pub(super) const NUMBERS: &str = "numbers";
/// The same, but texts that are spelled differently are different: `1.1` and `1.10` may be versions.
pub(super) const SPELLINGS: &str = "spellings";

/// How a column is stored.
pub(super) struct Storage {
    /// Its type in SQLite.
    pub(super) affinity: String,
    /// Numbers are stored as they are spelled.
    pub(super) as_texts: bool,
    /// Texts compare as numbers, and with more digits than a number of SQLite has.
    pub(super) is_exact: bool,
    /// An empty text is NULL.
    pub(super) has_no_gaps: bool,
    /// The texts that are NULL, since they stand for no value.
    pub(super) nothing: Option<fn(&str) -> bool>,
    /// Texts and booleans become values of this kind, as the query takes them for.
    pub(super) conversion: Option<Conversion>,
    /// Texts of the query that are amounts, and their numbers.
    pub(super) amounts: Vec<(String, f64)>,
    /// The order of its texts; its name in SQLite is the affinity's.
    pub(super) order: Option<Form>,
    pub(super) notes: Vec<String>,
}

/// The kinds of values in a column.
#[derive(Clone, Default)]
pub(super) struct Kinds {
    /// Numbers and booleans that are no texts.
    numbers: u64,
    has_reals: bool,
    /// A whole number that a float does not hold.
    has_large: bool,
    /// A whole number of more than 64 bits.
    has_long: bool,
    /// Booleans that are no texts.
    truths: u64,
    gaps: u64,
    quantities: Quantities,
    codes: u64,
    /// The length of codes and numbers, if all have one.
    length: Option<usize>,
    has_lengths: bool,
    amounts: Texts,
    other_dates: Texts,
    times: Texts,
    days: Texts,
    /// Texts that are neither days nor times.
    undated: Texts,
    offset: Option<String>,
    has_offsets: bool,
    has_bare_offset: bool,
    booleans: Texts,
    /// Texts that say yes or no in any way.
    answers: Texts,
    /// Words that stand for no value, in a database and among numbers.
    nulls: Texts,
    blanks: Texts,
    /// The values are cells of a text, as `NULL` in the output of a database.
    are_of_text: bool,
    /// The forms of the texts, if the query asks for their order.
    forms: Option<Box<Forms>>,
    /// Amounts and dates that the query says the texts are equal to, and texts that are the same in another spelling.
    said: Vec<(String, Option<Alike>)>,
    lists: u64,
    /// Texts that are no numbers, and the first of them.
    words: Texts,
    /// The first of them that begins with a digit.
    begins_with_digits: bool,
}

/// What a column has of a text in the query.
#[derive(Clone)]
enum Alike {
    Same,
    Other(String),
}

/// The number of some texts, and the first of them.
#[derive(Clone, Default)]
struct Texts {
    count: u64,
    first: Option<String>,
}

impl Texts {
    fn add(&mut self, text: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| text.to_owned());
    }

    /// The first, for a note.
    fn like(&self) -> String {
        const CHARACTERS: usize = 20;
        let first = self.first.iter().flat_map(|text| text.chars());
        format!("{:?}", first.take(CHARACTERS).collect::<String>())
    }
}

/// Texts that are numbers.
#[derive(Clone, Default)]
struct Quantities {
    count: u64,
    has_decimals: bool,
    decimals: Option<usize>,
    has_other_decimals: bool,
    /// A sign, a power or many digits, as no version has.
    is_no_version: bool,
    has_whole: bool,
    /// A spelling is lost with the text: `3.10`, `+1`, a number of many digits.
    lossy: Option<String>,
    /// A zero at the end of one decimal is lost only beside whole numbers.
    has_one_zero: bool,
}

impl Quantities {
    fn add(&mut self, text: &str, spelling: Spelling) {
        /// A float holds so many digits.
        const DIGITS: usize = 15;
        self.count += 1;
        let first = *self.decimals.get_or_insert(spelling.decimals);
        self.has_other_decimals |= first != spelling.decimals;
        let is_long = !spelling.is_whole() && spelling.digits > DIGITS;
        self.is_no_version |=
            spelling.has_power || spelling.is_negative || spelling.is_odd || is_long;
        self.has_whole |= spelling.is_whole();
        self.has_decimals |= !spelling.is_whole();
        self.has_one_zero |= spelling.ends_in_zero && spelling.decimals == 1;
        let is_lossy = spelling.is_odd || is_long || spelling.ends_in_zero && spelling.decimals > 1;
        if is_lossy && self.lossy.is_none() {
            self.lossy = Some(text.to_owned());
        }
    }

    fn is_lossy(&self) -> bool {
        self.lossy.is_some() || self.has_one_zero && self.has_whole
    }

    /// Whether there are whole numbers beside decimals: as floats all had decimals.
    fn is_uneven(&self) -> bool {
        self.has_whole && self.has_decimals
    }

    /// Whether they may be versions: `1.1`, `1.10`, `2`.
    fn may_be_versions(&self) -> bool {
        self.has_other_decimals && !self.is_no_version && self.is_lossy()
    }
}

impl Kinds {
    /// The kinds of a column before its first value. `are_of_text`: all values are cells of a text.
    pub(super) fn of(name: &str, usage: &Usage, are_of_text: bool) -> Kinds {
        let lower = name.to_ascii_lowercase();
        let uses = usage.of_column(&lower);
        let is_ordered = uses.as_number || uses.with_dates;
        let is_equal = uses.with_text && !is_ordered && !uses.as_text;
        let said = usage.texts_beside(&lower).filter(|text| {
            let reading = Reading::of(text);
            is_equal && matches!(reading, Reading::Amount | Reading::OtherDate | Reading::Day)
        });
        Kinds {
            are_of_text,
            said: said.map(|text| (text.to_owned(), None)).collect(),
            forms: is_ordered.then(Box::default),
            ..Kinds::default()
        }
    }

    pub(super) fn add(&mut self, value: &Value<'_>) {
        if let Some(forms) = &mut self.forms
            && matches!(value, Value::Integer(..) | Value::Real(..))
        {
            forms.add_number();
        }
        match value {
            Value::Null => {}
            Value::Boolean(_) => {
                self.truths += 1;
                self.numbers += 1;
            }
            Value::Integer(number, spelling) => {
                const LARGE: u64 = 1 << 53;
                self.numbers += 1;
                self.has_large |= number.unsigned_abs() > LARGE;
                self.add_length(spelling.len());
            }
            Value::Real(..) => {
                self.numbers += 1;
                self.has_reals = true;
            }
            Value::Long(_) => {
                self.numbers += 1;
                self.has_long = true;
            }
            Value::Text(text) if text.is_empty() => self.gaps += 1,
            Value::Text(text) => self.add_text(text),
        }
    }

    fn add_text(&mut self, text: &str) {
        self.lists += u64::from(text.starts_with('['));
        if boolean(text).is_some() {
            self.answers.add(text);
        }
        for (said, found) in &mut self.said {
            if said == text {
                *found = Some(Alike::Same);
            } else if found.is_none() && are_alike(said, text) {
                *found = Some(Alike::Other(text.to_owned()));
            }
        }
        let reading = Reading::of(text);
        if let Some(forms) = &mut self.forms {
            forms.add(text, reading);
            if forms.are_words() {
                self.forms = None;
            }
        }
        match reading {
            Reading::Number(spelling) => {
                self.add_length(text.len());
                self.has_long |= spelling.is_whole() && text.parse::<i64>().is_err();
                return self.quantities.add(text, spelling);
            }
            Reading::Code => {
                self.codes += 1;
                return self.add_length(text.len());
            }
            Reading::Amount => self.amounts.add(text),
            Reading::Time(offset) => {
                self.times.add(text);
                // Only whether they differ is asked.
                self.add_offset(offset);
            }
            Reading::OtherDate => self.other_dates.add(text),
            Reading::Boolean => self.booleans.add(text),
            Reading::Day => self.days.add(text),
            Reading::Word => {
                if is_null(text) {
                    self.nulls.add(text);
                }
                if is_blank(text) {
                    self.blanks.add(text);
                }
            }
        }
        if !matches!(reading, Reading::Day | Reading::Time(_)) {
            self.undated.add(text);
        }
        self.begins_with_digits |= text.trim_start().starts_with(|c: char| c.is_ascii_digit());
        self.words.add(text);
    }

    fn add_length(&mut self, length: usize) {
        let first = *self.length.get_or_insert(length);
        self.has_lengths |= first != length;
    }

    fn add_offset(&mut self, offset: &str) {
        self.has_bare_offset |= is_bare(offset);
        let offset = match offset {
            "z" | "+00:00" | "+0000" | "-00:00" => "Z",
            offset => offset,
        };
        match &self.offset {
            Some(first) => self.has_offsets |= first != offset,
            None => self.offset = Some(offset.to_owned()),
        }
    }

    /// How to store the column for a query.
    pub(super) fn storage(&self, name: &str, usage: &Usage) -> Storage {
        let lower = name.to_ascii_lowercase();
        let uses = usage.of_column(&lower);
        let texts = |collation: &str| format!("TEXT COLLATE {collation}");
        let mut storage = Storage {
            affinity: "TEXT".to_owned(),
            as_texts: true,
            is_exact: false,
            has_no_gaps: false,
            nothing: None,
            conversion: None,
            order: None,
            amounts: Vec::new(),
            notes: Vec::new(),
        };
        if self.has_conversion(name, uses, usage, &mut storage) {
            return storage;
        }
        let quantities = &self.quantities;
        let says_blank = uses.is_typed || usage.texts().any(is_blank);
        let takes_nulls = self.are_of_text && uses.with_null && !says_blank;
        let mut words = self.words.count;
        if self.blanks.count == words
            && self.numbers + quantities.count > 0
            && uses.as_number
            && !says_blank
        {
            // Among numbers no value is no number.
            storage.nothing = Some(is_blank);
            words = 0;
        } else if takes_nulls && self.nulls.count > 0 {
            storage.nothing = Some(is_null);
        }
        if storage.nothing.is_some() && self.blanks.count > 0 {
            let blanks = self.blanks.like();
            storage.notes.push(format!("{blanks} in {name} is NULL"));
        }
        let numbers = self.numbers + quantities.count;
        let numeric = match self.has_reals || quantities.has_decimals {
            // A float does not hold each whole number beside it.
            true if !self.has_large => "REAL",
            _ => "NUMERIC",
        };
        let is_numeric = if self.codes > 0 || numbers == 0 {
            false
        } else if self.has_long {
            storage.affinity = texts(NUMBERS);
            storage.has_no_gaps = words == 0;
            if uses.is_passed {
                storage
                    .notes
                    .push(cast(name, "has more digits than a number holds"));
            }
            false
        } else if words == 0 {
            // Numbers keep the spelling of texts, as far as no function passes them on.
            storage.has_no_gaps = true;
            let keeps = self.numbers == 0 && (quantities.is_lossy() || quantities.is_uneven());
            if keeps && quantities.may_be_versions() {
                storage.affinity = texts(SPELLINGS);
                if uses.is_named {
                    storage.notes.push(cast(name, "holds texts"));
                }
            } else if keeps && !uses.is_passed {
                storage.affinity = texts(NUMBERS);
                storage.notes.extend(self.other_spelling(name, uses, usage));
            }
            if uses.as_number && quantities.has_decimals && lower.contains("version") {
                let note = format!("{name} compares as decimals, not as versions");
                storage.notes.push(note);
            }
            !keeps || uses.is_passed && !quantities.may_be_versions()
        } else {
            // Texts among numbers are texts unless they are compared.
            let are_some = 4 * numbers >= words;
            let is_kept = self.numbers > 0 && quantities.count == 0;
            is_kept || are_some && uses.as_number
        };
        if is_numeric {
            storage.affinity = numeric.to_owned();
            storage.as_texts = false;
            storage.has_no_gaps = true;
            if let Some(lossy) = &quantities.lossy
                && uses.is_shown
            {
                let number = lossy.trim().parse::<f64>().unwrap_or_default();
                storage
                    .notes
                    .push(format!("{name} {lossy:?} is {number:?}"));
            }
        }
        let others = self.said.iter().filter_map(|(said, found)| match found {
            Some(Alike::Other(text)) => Some(format!("no {name} is '{said}', but {text:?} is one")),
            _ => None,
        });
        storage.notes.extend(others);
        storage.is_exact = storage.affinity.contains("COLLATE");
        if storage.order.is_none() || uses.in_sums {
            let note = self.note(name, uses, usage, is_numeric, words);
            storage.notes.extend(note);
        }
        if takes_nulls && self.gaps > 0 && !storage.has_no_gaps && !usage.says("") {
            storage.has_no_gaps = true;
            storage.notes.push(format!("an empty {name} is NULL"));
        } else if self.gaps > 0 && storage.has_no_gaps && uses.is_named && usage.says("") {
            storage.notes.push(format!("an empty {name} is NULL"));
        } else if self.gaps > 0 && !storage.has_no_gaps && uses.with_null {
            storage
                .notes
                .push(format!("an empty {name} is '', not NULL"));
        }
        if self.nulls.count > 0 && uses.with_null && storage.nothing.is_none() {
            let nulls = self.nulls.like();
            storage
                .notes
                .push(format!("{nulls} in {name} is a text, not NULL"));
        }
        storage
    }

    /// Whether the values are stored as what the query takes them for, or in the order of what they stand for.
    fn has_conversion(&self, name: &str, uses: Use, usage: &Usage, storage: &mut Storage) -> bool {
        let words = self.words.count;
        let are_answers = self.answers.count == words
            && self.numbers == self.truths
            && self.quantities.count + self.codes == 0;
        let as_text = uses.as_text && usage.texts().any(|text| boolean(text).is_some());
        let is_truth = uses.as_condition || uses.in_sums;
        if self.truths == self.numbers
            && self.truths > 0
            && !is_truth
            && (uses.with_text || as_text)
        {
            "TEXT COLLATE NOCASE".clone_into(&mut storage.affinity);
            storage.conversion = Some(Conversion::FromBooleans);
            return true;
        }
        if words > 0 && are_answers && is_truth && !uses.with_text {
            "INTEGER".clone_into(&mut storage.affinity);
            storage.as_texts = false;
            storage.has_no_gaps = true;
            storage.conversion = Some(Conversion::ToBooleans);
            storage.notes.push(format!("{name} is 1 or 0"));
            return true;
        }
        if words > 0 && self.booleans.count == words && self.numbers == 0 && !is_truth {
            "TEXT COLLATE NOCASE".clone_into(&mut storage.affinity);
            return true;
        }
        if uses.as_list && self.lists > 0 && self.lists < words {
            storage.conversion = Some(Conversion::Lists);
            let note = format!("{name} is a list of one where it is no list");
            storage.notes.push(note);
            return true;
        }
        let lower = name.to_ascii_lowercase();
        let is_unsure = |form: &Form| {
            let mut texts = usage.texts_beside(&lower);
            texts.any(|text| form.is_unsure(text))
        };
        if words > 0 && self.times.count == words && self.numbers + self.quantities.count == 0 {
            if uses.with_dates && self.has_bare_offset && !uses.as_text {
                storage.conversion = Some(Conversion::Offsets);
            } else if uses.as_number
                && !uses.with_dates
                && self.has_offsets
                && !is_unsure(&Form::Instants)
            {
                storage.order = Some(Form::Instants);
            }
            return storage.conversion.is_some() || storage.order.is_some();
        }
        let forms = self
            .forms
            .as_ref()
            .filter(|_| words > 0 && self.codes == 0 && !uses.is_typed);
        let says_blank = usage.texts().any(is_blank);
        let blanks = if says_blank { 0 } else { self.blanks.count };
        let Some((form, others)) = forms.and_then(|forms| forms.form(says_blank)) else {
            return false;
        };
        if is_unsure(&form) {
            return false;
        }
        if form == Form::Numbered {
            storage.order = (self.numbers == 0).then_some(form);
            return false;
        }
        storage.has_no_gaps = true;
        storage.nothing = (blanks > 0).then_some(is_blank);
        if blanks > 0 {
            let blanks = self.blanks.like();
            storage.notes.push(format!("{blanks} in {name} is NULL"));
        }
        if self.gaps > 0 && usage.says("") {
            storage.notes.push(format!("an empty {name} is NULL"));
        }
        let first = forms
            .and_then(|forms| forms.first.as_deref())
            .unwrap_or_default();
        let value = form.value(first).unwrap_or_default();
        let is_date = matches!(form, Form::Dates { .. });
        let is_mixed = matches!(&form, Form::Amounts(amounts) if amounts.is_mixed);
        let has_value = is_mixed || matches!(form, Form::Amounts(_) | Form::DecimalCommas);
        let is_calculated = has_value && (uses.is_summed || uses.is_passed);
        let as_numbers = is_calculated && !uses.as_text && !uses.with_column;
        let mut what = "larger than any other";
        if as_numbers {
            let is_said = |text: &str| !text.is_empty() && form.value(text).is_none();
            let keeps = usage.texts().any(is_said);
            let said = usage.texts().filter(|text| text.parse::<f64>().is_err());
            let said = said.filter_map(|text| Some((text.to_owned(), form.value(text)?)));
            storage.amounts = said.collect();
            what = if keeps { "0 in avg and sum" } else { "NULL" };
            "REAL".clone_into(&mut storage.affinity);
            storage.as_texts = false;
            storage.notes.push(format!("{name} {first:?} is {value:?}"));
            storage.conversion = Some(Conversion::Numbers(form, keeps));
        } else {
            if is_date && (uses.with_dates || uses.is_passed) && !uses.as_text {
                let date = form.date(first).unwrap_or_default();
                storage.notes.push(format!("{name} {first:?} is {date}"));
                storage.conversion = Some(Conversion::Dates(form.clone()));
            } else if let Form::Dates { is_month_first } = form {
                let order = if is_month_first { "month" } else { "day" };
                if first.starts_with(|c: char| c.is_ascii_digit())
                    && !first.contains(char::is_alphabetic)
                {
                    storage
                        .notes
                        .push(format!("{name} compares as dates with the {order} first"));
                }
            } else if is_calculated || form == Form::Versions && uses.is_added {
                let first = format!("{first:?}");
                storage.notes.push(no_numbers(name, &first));
            } else if is_mixed && uses.in_sums || form.is_a_guess() {
                storage
                    .notes
                    .push(format!("{name} {first:?} compares as {value:?}"));
            }
            storage.is_exact = form == Form::Versions;
            storage.order = Some(form);
        }
        let is_date_alone = uses.is_summed && !uses.with_dates || uses.with_dates && uses.as_text;
        if is_date && is_date_alone {
            storage
                .notes
                .push(format!("{name} has texts like {first:?}: no dates to SQL"));
        }
        if others > 0 {
            let others = format!("{others} other texts of {name} are {what}");
            storage.notes.push(others);
        }
        true
    }

    /// Says of a text in the query that it is spelled as none of the column's, and equals some.
    fn other_spelling(&self, name: &str, uses: Use, usage: &Usage) -> Option<String> {
        let decimals = self.quantities.decimals.filter(|decimals| *decimals > 0)?;
        let is_other = |text: &&str| matches!(Reading::of(text), Reading::Number(own) if own.decimals < decimals);
        let is_uniform = !self.quantities.has_other_decimals && uses.is_named;
        let other = usage.texts().find(is_other).filter(|_| is_uniform)?;
        Some(format!("{name} compares '{other}' as a number"))
    }

    /// Whether booleans are spelled like `TRUE`.
    fn has_capitals(&self) -> bool {
        let first = self.booleans.first.as_deref();
        first.is_some_and(|first| first.contains(char::is_uppercase))
    }

    /// What a query must know about the column; none if its values compare as they seem to.
    fn note(
        &self,
        name: &str,
        uses: Use,
        usage: &Usage,
        is_numeric: bool,
        words: u64,
    ) -> Option<String> {
        if !uses.is_named {
            return None;
        }
        let column = spelled(name);
        let says_boolean = usage.says("true") || usage.says("false");
        let numbers = self.numbers + self.quantities.count;
        let like = |texts: &Texts| match texts.count {
            1 => format!("1 text ({})", texts.like()),
            count => format!("{count} texts (like {})", texts.like()),
        };
        let all = numbers + words + self.codes;
        if is_numeric && words > 0 {
            let sums = match self.begins_with_digits {
                true => "counted by their first digits",
                false => "0",
            };
            return (uses.as_number || uses.as_condition).then(|| {
                format!(
                    "{name} has {} among numbers: larger than any of them, and {sums} in avg and sum, unless left out by typeof({column}) <> 'text'",
                    like(&self.words)
                )
            });
        }
        if self.truths > 0 && words == 0 && says_boolean {
            return Some(format!("{name} is 1 or 0"));
        }
        if self.booleans.count > 0
            && self.booleans.count == words
            && (uses.as_condition || uses.in_sums || says_boolean && self.has_capitals())
        {
            return Some(format!(
                "{name} holds texts like {}, no booleans",
                self.booleans.like()
            ));
        }
        if self.codes > 0 && 2 * (numbers + self.codes) >= all {
            let is_even = !self.has_lengths && words == 0;
            let is_said = uses.in_sums || uses.as_number && !is_even;
            return is_said.then(|| cast(name, "holds codes as texts"));
        }
        let dated = self.times.count + self.days.count;
        if 2 * dated > all && uses.is_added {
            let first = [&self.days, &self.times]
                .into_iter()
                .find(|own| own.count > 0)?;
            return Some(no_numbers(name, &first.like()));
        }
        let first = self.undated.first.as_deref().unwrap_or_default();
        if 2 * dated > all && self.undated.count > 0 && uses.as_number && !usage.says(first) {
            let others = like(&self.undated);
            return Some(format!(
                "{name} has {others} among dates: all compare as texts"
            ));
        }
        if 2 * self.times.count > all {
            let is_compared = uses.as_number && !uses.with_dates && self.has_offsets;
            return if is_compared && !self.has_bare_offset {
                Some(format!(
                    "{name} has different offsets from UTC: datetime({column}) compares moments"
                ))
            } else if is_compared {
                Some(format!(
                    "{name} has different offsets from UTC, and compares as text"
                ))
            } else {
                (uses.with_dates && self.has_bare_offset).then(|| {
                    format!("dates of {name} are NULL, as its offsets have no colon: substr({column},1,19)")
                })
            };
        }
        let is_dated = uses.as_number || uses.with_dates;
        if 2 * self.other_dates.count > all && is_dated {
            return Some(format!(
                "{name} has texts like {}: no dates to SQL, and compared as texts",
                self.other_dates.like()
            ));
        }
        let measured = numbers + self.amounts.count;
        if self.amounts.count > 0 && 4 * measured >= all - measured && uses.as_number {
            return Some(compared_as_texts(name, &self.amounts.like()));
        }
        let are_some = 4 * numbers >= words;
        let is_compared = uses.in_sums || are_some && uses.as_number;
        if words > 0 && numbers > 0 && is_compared {
            let order = match self.has_long {
                true => "larger than any of them",
                false => "all compare as texts",
            };
            let words = like(&self.words);
            return Some(format!(
                "{name} has {words} among numbers: {order}, and 0 in sums"
            ));
        }
        if words > 0 && numbers == 0 && (uses.with_number || uses.is_added) {
            return Some(compared_as_texts(name, &self.words.like()));
        }
        if uses.is_ordered && self.forms.as_ref().is_some_and(|forms| forms.are_ranked()) {
            let first = self.words.like();
            return Some(format!(
                "{name} has words like {first}: ordered by their letters"
            ));
        }
        // They have no form in common, or the query has a text whose meaning nobody knows.
        let example = self.forms.as_ref().filter(|_| uses.as_number)?.example()?;
        let example = format!("{example:?}");
        Some(compared_as_texts(name, &example))
    }
}

fn compared_as_texts(name: &str, first: &str) -> String {
    format!(
        "{name} has texts like {first}: compared as texts, and only their first digits count in sums"
    )
}

fn no_numbers(name: &str, first: &str) -> String {
    format!("{name} has texts like {first}: no numbers, and only their first digits count in sums")
}

fn cast(name: &str, why: &str) -> String {
    let column = spelled(name);
    format!("{name} {why}: CAST({column} AS REAL) compares as numbers")
}

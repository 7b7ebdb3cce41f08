//! What a query does with a column: whether it compares, sums or sorts it, as numbers or as times.
//!
//! Owns the words of a query, read without its grammar. Refuses to know the values. Where it is in doubt, it takes a
//! use for one as numbers: a note too many is better than a wrong answer.

mod beside;

use super::names;

/// Functions of numbers. The value of the first ones has neither the order nor the affinity of the column.
const KEEPING: [&str; 11] = [
    "max",
    "min",
    "coalesce",
    "ifnull",
    "iif",
    "if",
    "nullif",
    "first_value",
    "last_value",
    "nth_value",
    "lag",
];
const COUNTING: [&str; 19] = [
    "lead",
    "sum",
    "avg",
    "total",
    "median",
    "percentile",
    "abs",
    "round",
    "cast",
    "ceil",
    "ceiling",
    "floor",
    "trunc",
    "sign",
    "mod",
    "pow",
    "power",
    "sqrt",
    "format",
];
const DATES: [&str; 7] = [
    "date",
    "datetime",
    "time",
    "julianday",
    "strftime",
    "unixepoch",
    "timediff",
];
/// Functions and operators of texts: what they get must be spelled as the document spells it.
const OF_TEXTS: [&str; 15] = [
    "replace",
    "substr",
    "substring",
    "trim",
    "ltrim",
    "rtrim",
    "split_part",
    "regexp_substr",
    "instr",
    "length",
    "lower",
    "upper",
    "unicode",
    "hex",
    "quote",
];
const TEXT_SIGNS: [&str; 4] = ["like", "glob", "regexp", "||"];
const COMPARING: [&str; 5] = ["<", ">", "<=", ">=", "between"];
const CALCULATING: [&str; 5] = ["+", "-", "*", "/", "%"];
/// Words in the place of a column.
const WORDS: [&str; 10] = [
    "null", "not", "true", "false", "case", "select", "cast", "exists", "distinct", "and",
];
const EQUALS: [&str; 5] = ["=", "==", "!=", "<>", "is"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word of SQL, or a name.
    Word,
    /// A name in quotes, or with dots.
    Name,
    Text,
    Number,
    Sign,
}

struct Token {
    kind: Kind,
    /// Without quotes; in lower case unless it is a text.
    text: String,
    start: usize,
    end: usize,
    /// It stands in `ORDER BY`, or in the columns of a `SELECT`.
    is_order: bool,
    is_column: bool,
}

/// The words of a query.
pub(super) struct Usage {
    tokens: Vec<Token>,
    has_dates: bool,
    /// A column is sorted by its place, or has a name in the `WITH` alone.
    is_hidden: bool,
    has_inner_select: bool,
    /// It has a `*`, or a name in brackets.
    has_all: bool,
}

/// The uses of a column.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) is_named: bool,
    /// It is compared, sorted or calculated with.
    pub(super) as_number: bool,
    /// It is calculated with, or compared with a number.
    pub(super) in_sums: bool,
    /// It is calculated with, or a function of numbers gets it.
    pub(super) is_summed: bool,
    /// Its own value is, and not whether it equals another.
    pub(super) is_added: bool,
    /// It is compared with a number.
    pub(super) with_number: bool,
    /// Its order is asked for.
    pub(super) is_ordered: bool,
    /// It is compared with a text.
    pub(super) with_text: bool,
    /// It is compared with a column, or is the value of a `CASE`.
    pub(super) with_column: bool,
    /// A function of texts gets it.
    pub(super) as_text: bool,
    /// The query asks for its type.
    pub(super) is_typed: bool,
    /// A function of lists gets it.
    pub(super) as_list: bool,
    /// A function passes its value on, to be compared.
    pub(super) is_passed: bool,
    /// It is taken for a condition.
    pub(super) as_condition: bool,
    /// The answer shows it.
    pub(super) is_shown: bool,
    /// It is compared with NULL.
    pub(super) with_null: bool,
    /// The query calls functions of dates.
    pub(super) with_dates: bool,
}

impl Usage {
    pub(super) fn of(query: &str) -> Usage {
        let mut tokens = tokens(query);
        // Open parentheses, and for each what it stands in.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let (mut is_order, mut is_column) = (false, false);
        for token in &mut tokens {
            match (token.kind, &*token.text) {
                (Kind::Sign, "(") => open.push((is_order, is_column)),
                (Kind::Sign, ")") => (is_order, is_column) = open.pop().unwrap_or_default(),
                (Kind::Word, "order") => is_order = true,
                (Kind::Word, "select") => (is_order, is_column) = (false, true),
                (Kind::Word, "from") => is_column = false,
                (Kind::Word, "limit" | "offset" | "rows" | "range" | "union") => is_order = false,
                _ => {}
            }
            token.is_order = is_order;
            token.is_column = is_column;
        }
        let is_call = |place: usize, names: &[&str]| {
            let token: &Token = &tokens[place];
            let is_open = tokens.get(place + 1).is_some_and(|next| next.is("("));
            token.kind == Kind::Word && is_open && names.contains(&&*token.text)
        };
        let words = |word: &str| tokens.iter().filter(|token| token.is_word(word)).count();
        let has_dates = (0..tokens.len()).any(|place| is_call(place, &DATES));
        let by_place = tokens
            .iter()
            .any(|token| token.is_order && token.kind == Kind::Number);
        Usage {
            has_dates,
            is_hidden: by_place || words("with") > 0,
            has_inner_select: words("select") > 1,
            has_all: query
                .to_ascii_lowercase()
                .replace("count(*)", "")
                .contains(['*', '[']),
            tokens,
        }
    }

    /// Whether the query reads a table by this name, in lower case.
    pub(super) fn reads(&self, table: &str) -> bool {
        self.read().any(|name| name == table)
    }

    /// The names of tables that the query reads, in lower case.
    pub(super) fn read(&self) -> impl Iterator<Item = &str> {
        let read = (1..self.tokens.len()).filter(|place| {
            let token = &self.tokens[*place];
            let before = &*self.tokens[place - 1].text;
            token.is_name() && matches!(before, "from" | "join" | ",") && !token.is_column
        });
        read.map(|place| &*self.tokens[place].text)
    }

    /// Whether the query may read a column, if `query` is it in lower case, as the name is: it contains the name, or
    /// reads all columns, or spells names in a way that hides them.
    pub(super) fn may_read(&self, query: &str, name: &str) -> bool {
        self.has_all || query.contains(name) || self.mentions(name).next().is_some()
    }

    /// Whether the query has this text in quotes, in any case.
    pub(super) fn says(&self, text: &str) -> bool {
        self.texts().any(|own| own.eq_ignore_ascii_case(text))
    }

    /// Whether the query looks for letters whose case SQLite's LIKE does not know.
    pub(super) fn has_like_beyond_ascii(&self) -> bool {
        let has_case = |c: char| !c.is_ascii() && (c.is_lowercase() || c.is_uppercase());
        self.tokens.iter().any(|token| token.is_word("like"))
            && self.texts().any(|text| text.contains(has_case))
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.tokens.iter().filter(|token| token.kind == Kind::Text);
        texts.map(|token| &*token.text)
    }

    /// The texts and numbers of the query.
    pub(super) fn literals(&self) -> Vec<String> {
        let is_one = |token: &&Token| matches!(token.kind, Kind::Text | Kind::Number);
        let all = self.tokens.iter().filter(is_one);
        all.map(|token| token.text.clone()).collect()
    }

    /// The query with numbers in place of texts that are amounts, where they stand beside columns that have numbers.
    /// `amounts`: columns in lower case, texts and their numbers.
    pub(super) fn with_amounts(&self, query: &str, amounts: &[(String, String, f64)]) -> String {
        let mut out = String::new();
        let mut written = 0;
        for (place, token) in self.tokens.iter().enumerate() {
            let is_own = |(name, text, _): &&(String, String, f64)| {
                token.kind == Kind::Text
                    && *text == token.text
                    && self.is_beside(place, name, &mut Vec::new())
            };
            if let Some((.., number)) = amounts.iter().find(is_own) {
                out.push_str(&query[written..token.start]);
                out.push_str(&format!("{number:?}"));
                written = token.end;
            }
        }
        out + &query[written..]
    }

    /// The query with long numbers as texts where a column is compared with them that holds texts: SQLite would round
    /// the number. `is_exact`: whether the column of a name, in lower case, does.
    pub(super) fn with_long_numbers(
        &self,
        query: &str,
        is_exact: impl Fn(&str) -> bool,
    ) -> Option<String> {
        /// A number of SQLite holds so many digits.
        const DIGITS: usize = 15;
        let is_long = |token: &Token| {
            let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
            let is_plain = digits + token.text.matches('.').count() == token.text.len();
            let is_whole = digits == token.text.len();
            // The version 1.10 is no 1.1.
            let ends_in_zero = !is_whole && token.text.ends_with('0');
            token.kind == Kind::Number
                && is_plain
                && (ends_in_zero || digits > DIGITS)
                && !(is_whole && token.text.parse::<i64>().is_ok())
        };
        let is_column = |place: usize| {
            let token = &self.tokens[place];
            let last = token.text.rsplit('.').next().unwrap_or_default();
            token.is_name() && (is_exact(&token.text) || is_exact(last))
        };
        let is_compared = |place: usize| {
            let sign = self.text(Some(place));
            COMPARING.contains(&sign) || EQUALS.contains(&sign)
        };
        let mut out = String::new();
        let mut written = 0;
        for (place, token) in self.tokens.iter().enumerate() {
            if !is_long(token) {
                continue;
            }
            // `v > 1`, `1 < v`, `v IN (1, 2)`, `v BETWEEN 1 AND 2`.
            let mut start = place;
            while start > 0
                && (matches!(self.text(Some(start - 1)), "," | "(" | "and" | "in" | "not")
                    || self.tokens[start - 1].kind == Kind::Number)
            {
                start -= 1;
            }
            let before = start.checked_sub(1).is_some_and(|before| {
                is_column(before)
                    || is_compared(before) && before > 0 && {
                        let is_not = usize::from(self.text(Some(before - 1)) == "not");
                        before > is_not && is_column(before - 1 - is_not)
                    }
            });
            let after =
                is_compared(place + 1) && place + 2 < self.tokens.len() && is_column(place + 2);
            if before || after {
                out.push_str(&query[written..token.start]);
                out.push_str(&format!("'{}'", token.text));
                written = token.end;
            }
        }
        out.push_str(&query[written..]);
        (written > 0).then_some(out)
    }

    /// The uses of a column. `name`: in lower case.
    pub(super) fn of_column(&self, name: &str) -> Use {
        let mut uses = Use::default();
        let mut aliases = Vec::new();
        for place in self.mentions(name) {
            self.note(place, &mut uses);
            aliases.extend(self.alias_after(place + 1));
        }
        uses.is_named |= !aliases.is_empty();
        for alias in aliases {
            let alias_name = &self.tokens[alias].text;
            for place in self.mentions(alias_name).filter(|place| *place != alias) {
                self.note(place, &mut uses);
            }
        }
        uses.with_dates = uses.is_named && self.has_dates;
        uses
    }

    fn mentions<'u>(&'u self, name: &'u str) -> impl Iterator<Item = usize> + 'u {
        (0..self.tokens.len()).filter(move |place| {
            let token = &self.tokens[*place];
            let inside = || token.text.strip_suffix(name)?.strip_suffix('.');
            let next = self.tokens.get(*place + 1);
            let is_call = token.kind == Kind::Word && next.is_some_and(|next| next.is("("));
            // `ORDER BY n DESC` names no column `desc`.
            let before = self.text(place.checked_sub(1));
            let is_way = matches!(&*token.text, "asc" | "desc") && token.kind == Kind::Word;
            let is_name = token.is_name() && (!is_way || matches!(before, "by" | "," | "select"));
            is_name && !is_call && (token.text == name || inside().is_some())
        })
    }

    /// The name that a value gets, if the tokens from `place` on give it one.
    fn alias_after(&self, place: usize) -> Option<usize> {
        let place = match self.tokens.get(place)?.is_word("as") {
            true => place + 1,
            false => place,
        };
        const ENDS: [&str; 14] = [
            "from", "where", "and", "or", "group", "order", "limit", "desc", "asc", "is", "in",
            "not", "like", "between",
        ];
        let token = self.tokens.get(place)?;
        let is_alias = token.is_name() && token.is_column;
        (is_alias && !ENDS.contains(&&*token.text)).then_some(place)
    }

    fn text(&self, place: Option<usize>) -> &str {
        let token = place.and_then(|place| self.tokens.get(place));
        token
            .filter(|token| matches!(token.kind, Kind::Word | Kind::Sign))
            .map_or("", |token| &token.text)
    }

    fn is_number(&self, place: usize) -> bool {
        let number = |place: usize| {
            self.tokens
                .get(place)
                .is_some_and(|token| token.kind == Kind::Number)
        };
        number(place) || self.text(Some(place)) == "-" && number(place + 1)
    }

    fn note(&self, place: usize, uses: &mut Use) {
        uses.is_named = true;
        let token = &self.tokens[place];
        let mut before = place.checked_sub(1);
        while matches!(self.text(before), "distinct" | "all") {
            before = before.and_then(|before| before.checked_sub(1));
        }
        let sign_before = self.text(before);
        let second_before = before.and_then(|before| before.checked_sub(1));
        let function = match sign_before {
            "(" => self.text(second_before),
            // `iif(x > 1, v, 0)`
            "," => self
                .opening(place)
                .map_or("", |open| self.text(open.checked_sub(1))),
            _ => "",
        };
        let after = self.text(Some(place + 1));
        let is_compared = COMPARING.contains(&after)
            || COMPARING.contains(&sign_before)
            || after == "not" && self.text(Some(place + 2)) == "between";
        let is_calculated = CALCULATING.contains(&after) || CALCULATING.contains(&sign_before);
        let after_is = place + 2 + usize::from(self.text(Some(place + 2)) == "not");
        let is_equal_to_number = EQUALS.contains(&after) && self.is_number(after_is)
            || EQUALS.contains(&sign_before) && second_before.is_some_and(|it| self.is_number(it))
            || after == "in" && self.is_number(place + 3);
        let is_called = COUNTING.contains(&function);
        // `+v` is a value without the order of the column.
        let is_signed = sign_before == "+" && !second_before.is_some_and(|it| self.is_operand(it));
        let is_kept = KEEPING.contains(&function)
            || function == "lead"
            || matches!(sign_before, "then" | "else" | "when" | "case")
            || is_signed;
        let is_sorted = token.is_order || token.is_column && self.is_hidden;
        uses.as_number |=
            is_compared || is_calculated || is_equal_to_number || is_called || is_kept || is_sorted;
        let with_number = is_equal_to_number
            || is_compared
                && (self.is_number(place + 2)
                    || second_before.is_some_and(|it| self.is_number(it)));
        uses.with_number |= with_number;
        uses.in_sums |= is_calculated || is_called || with_number;
        uses.is_ordered |= is_compared
            || token.is_order && sign_before == "by"
            || matches!(function, "max" | "min");
        let is_text = |place: usize| {
            let token = self.tokens.get(place);
            token.is_some_and(|token| token.kind == Kind::Text)
        };
        uses.with_text |= EQUALS.contains(&after) && is_text(after_is)
            || EQUALS.contains(&sign_before) && second_before.is_some_and(is_text)
            || after == "in" && is_text(place + 3)
            || after == "not" && is_text(place + 4);
        uses.is_summed |= is_calculated || is_called;
        let is_sum = matches!(function, "sum" | "avg" | "total" | "abs" | "round");
        uses.is_added |= is_calculated || is_sum && after == ")";
        let is_column = |place: usize| {
            self.tokens.get(place).is_some_and(|token| {
                let next = self.text(Some(place + 1));
                token.is_name() && next != "(" && !WORDS.contains(&&*token.text)
            })
        };
        let is_operator = |sign| COMPARING.contains(&sign) || EQUALS.contains(&sign);
        uses.with_column |= sign_before == "case"
            || is_operator(after) && is_column(place + 2)
            || is_operator(sign_before) && second_before.is_some_and(is_column);
        let is_sign = |sign| TEXT_SIGNS.contains(&sign);
        let is_not = after == "not" && is_sign(self.text(Some(place + 2)));
        uses.as_text |=
            OF_TEXTS.contains(&function) || is_sign(after) || is_sign(sign_before) || is_not;
        uses.is_typed |= function == "typeof";
        uses.as_list |= matches!(function, "json_each" | "json_array_length");
        uses.is_passed |= is_signed || is_kept && self.is_used(place);
        uses.with_null |= after == "is" && self.text(Some(after_is)) == "null"
            || matches!(after, "isnull" | "notnull")
            || matches!(function, "coalesce" | "ifnull" | "count");
        let is_shown = !is_compared && !EQUALS.contains(&after) && !EQUALS.contains(&sign_before);
        uses.is_shown |= is_shown && (token.is_column || sign_before == "by");
        let is_truth = |place| matches!(self.text(Some(place)), "true" | "false");
        let is_alone = matches!(sign_before, "where" | "and" | "or" | "not" | "when" | "on")
            || sign_before == "(" && function.is_empty();
        let is_end = matches!(
            after,
            "" | "and" | "or" | ")" | "then" | "group" | "order" | "limit" | "end" | ","
        ) && self
            .tokens
            .get(place + 1)
            .is_none_or(|token| token.kind != Kind::Text);
        uses.as_condition |= is_alone && is_end
            || EQUALS.contains(&after) && (is_truth(after_is) || self.is_number(after_is));
    }

    fn is_operand(&self, place: usize) -> bool {
        let token = &self.tokens[place];
        token.text == ")"
            || token.kind == Kind::Number
            || token.is_name()
                && !matches!(
                    &*token.text,
                    "where" | "and" | "or" | "not" | "by" | "select" | "on" | "having" | "when"
                )
    }

    /// Whether the value of the function or `CASE` around a place is compared or sorted.
    fn is_used(&self, place: usize) -> bool {
        let token = &self.tokens[place];
        if token.is_order || self.has_inner_select || self.is_hidden && token.is_column {
            return true;
        }
        let mut depth = 0_i32;
        let mut rest = (place + 1..self.tokens.len()).skip_while(|at| {
            let text = &*self.tokens[*at].text;
            depth += i32::from(text == "(") - i32::from(text == ")");
            depth >= 0 && text != "end"
        });
        let Some(end) = rest.next() else {
            return false;
        };
        if let Some(alias) = self.alias_after(end + 1) {
            let name = &*self.tokens[alias].text;
            return name == "over" || self.mentions(name).any(|place| place != alias);
        }
        let is_list = matches!(self.text(Some(end + 1)), "," | "from" | "");
        !(is_list && token.is_column)
    }
}

impl Token {
    fn is(&self, text: &str) -> bool {
        self.kind == Kind::Sign && self.text == text
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Name)
    }
}

fn tokens(query: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(first) = query[at..].chars().next() {
        let rest = &query[at..];
        let (kind, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '-' if rest.starts_with("--") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            '\'' => (Kind::Text, names::quoted_length(rest, '\'')),
            '"' | '`' => (Kind::Name, names::quoted_length(rest, first)),
            '[' => (Kind::Name, rest.find(']').map_or(rest.len(), |end| end + 1)),
            c if c.is_ascii_digit() || c == '.' && starts_with_digit(&rest[1..]) => {
                (Kind::Number, number_length(rest))
            }
            c if names::is_letter(c) => (Kind::Word, names::name_length(rest)),
            _ => {
                let long = ["<=", ">=", "<>", "==", "!=", "||", "->>", "->"];
                let long = long.iter().find(|sign| rest.starts_with(**sign));
                let length = long.map_or(first.len_utf8(), |sign| sign.len());
                (Kind::Sign, length)
            }
        };
        let own = &rest[..length];
        let text = match first {
            '\'' | '"' | '`' => {
                let quotes = format!("{first}{first}");
                let inner = own.get(1..own.len().max(2) - 1).unwrap_or_default();
                inner.replace(&quotes, &first.to_string())
            }
            '[' => own.trim_matches(['[', ']', '"', '\'']).to_owned(),
            _ => own.to_owned(),
        };
        let text = match kind {
            Kind::Text => text,
            _ => text.to_ascii_lowercase(),
        };
        let end = at + length;
        let start = at;
        // `i."user.login"` and `reactions["+1"]` are one name each.
        let joins = |last: &Token| {
            last.is_name()
                && (query.get(last.end..start) == Some(".") || last.end == start && first == '[')
        };
        let is_name = matches!(kind, Kind::Word | Kind::Name);
        let is_point = kind == Kind::Sign && text == ".";
        at = end;
        if is_point && tokens.last().is_some_and(Token::is_name) {
            continue;
        }
        if let Some(last) = tokens.last_mut()
            && is_name
            && joins(last)
        {
            last.text = format!("{}.{text}", last.text);
            last.kind = Kind::Name;
            last.end = end;
            continue;
        }
        let kind = match kind {
            Kind::Word if text.contains('.') => Kind::Name,
            kind => kind,
        };
        tokens.push(Token {
            kind,
            text,
            start,
            end,
            is_order: false,
            is_column: false,
        });
    }
    tokens
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn number_length(text: &str) -> usize {
    let mut last = ' ';
    let end = text.find(|c: char| {
        let is_part = c.is_ascii_alphanumeric()
            || c == '.'
            || matches!(c, '+' | '-') && matches!(last, 'e' | 'E') && !text.starts_with("0x");
        last = c;
        !is_part
    });
    end.unwrap_or(text.len())
}

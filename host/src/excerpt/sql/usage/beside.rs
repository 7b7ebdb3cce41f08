//! Which texts of a query stand beside a column: in one comparison, list or function of values with it.
//!
//! Owns the bounds of an operation, read without the grammar. Refuses to know the values.

use super::{Kind, TEXT_SIGNS, Token, Usage};

impl Usage {
    /// The texts in one operation with a column. `name`: in lower case.
    pub(in super::super) fn texts_beside<'u>(
        &'u self,
        name: &'u str,
    ) -> impl Iterator<Item = &'u str> {
        let tokens = self.tokens.iter().enumerate();
        let texts = tokens.filter(|(_, token)| token.kind == Kind::Text);
        let own = texts.filter(move |(place, _)| self.is_beside(*place, name, &mut Vec::new()));
        own.map(|(_, token)| &*token.text)
    }

    /// Whether a place is in one operation with a column, or with a name that an expression with the column has.
    /// `seen`: names that were looked at.
    pub(super) fn is_beside<'u>(
        &'u self,
        place: usize,
        name: &str,
        seen: &mut Vec<&'u str>,
    ) -> bool {
        const ENDS: [&str; 17] = [
            "where", "and", "or", "when", "then", "else", "end", "on", "having", "select", "by",
            "as", "group", "order", "limit", "from", ",",
        ];
        let is_list = |open: usize| {
            let before = self.text(open.checked_sub(1));
            matches!(
                before,
                "in" | "coalesce" | "ifnull" | "nullif" | "max" | "min"
            )
        };
        let (mut from, mut inside) = (place, 0);
        let (mut in_list, mut was_in_list) = (false, false);
        while let Some(before) = from.checked_sub(1) {
            match self.text(Some(before)) {
                ")" => inside += 1,
                "(" if inside > 0 => inside -= 1,
                _ if inside > 0 => {}
                "(" if is_list(before) => (in_list, was_in_list) = (false, true),
                "," if in_list || self.opening(before).is_some_and(is_list) => in_list = true,
                "and" if before > 1 && self.text(Some(before - 2)) == "between" => {}
                "(" => break,
                sign if ENDS.contains(&sign) => break,
                _ => {}
            }
            from = before;
        }
        let (mut to, mut inside) = (place + 1, 0);
        while to < self.tokens.len() {
            match self.text(Some(to)) {
                "(" => inside += 1,
                ")" if inside > 0 => inside -= 1,
                _ if inside > 0 => {}
                ")" => break,
                "," if was_in_list => {}
                sign if ENDS.contains(&sign) => break,
                _ => {}
            }
            to += 1;
        }
        let range = &self.tokens[from..to];
        let is_text = range.iter().any(|token| TEXT_SIGNS.contains(&&*token.text));
        let is_name = |token: &&Token| token.is_name() && !ENDS.contains(&&*token.text);
        let mut names = range.iter().filter(is_name);
        !is_text
            && names.any(|token| {
                let last = token.text.rsplit('.').next().unwrap_or_default();
                let is_column = token.text == name || last == name;
                is_column || self.is_named_so(last, name, seen)
            })
    }

    /// Whether an expression with a column has this name.
    fn is_named_so<'u>(&'u self, alias: &'u str, name: &str, seen: &mut Vec<&'u str>) -> bool {
        if seen.contains(&alias) {
            return false;
        }
        seen.push(alias);
        let mut places = 1..self.tokens.len();
        places.any(|place| {
            let (token, before) = (&self.tokens[place], &self.tokens[place - 1]);
            let is_value = token.is_column && (before.is(")") || before.is_name());
            token.is_name()
                && token.text == alias
                && (is_value || before.is_word("as"))
                && self.is_beside(place - 1, name, seen)
        })
    }

    /// The parenthesis that is open at a place.
    pub(super) fn opening(&self, place: usize) -> Option<usize> {
        let mut inside = 0;
        (0..place).rev().find(|before| {
            let token = &self.tokens[*before];
            inside += i32::from(token.is(")")) - i32::from(token.is("("));
            inside < 0
        })
    }
}

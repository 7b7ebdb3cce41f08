//! The Rust project that the stand-in claims to have parsed: a calculator with a parser, a history and a page for
//! results.
//!
//! Owns names, places and code. Refuses to know the shapes of answers.

/// The folder of the project on its developer's machine.
pub const ROOT: &str = "/home/dev/abacus";

/// A function or a type.
pub struct Symbol {
    pub kind: &'static str,
    pub name: &'static str,
    pub line: usize,
    pub signature: &'static str,
    /// The lines between its braces.
    pub body: &'static [&'static str],
    pub doc: Option<&'static str>,
    /// The number of its uses in the rest of the project.
    pub usages: usize,
}

/// A source file and its symbols, in order.
pub struct File {
    pub path: &'static str,
    pub symbols: &'static [Symbol],
}

impl File {
    /// Its path on that machine.
    pub fn absolute(&self) -> String {
        absolute(self.path)
    }

    /// Its symbols of these kinds.
    pub fn of_kind(&self, kinds: &[&str]) -> Vec<&Symbol> {
        let symbols = self.symbols.iter();
        symbols
            .filter(|symbol| kinds.contains(&symbol.kind))
            .collect()
    }
}

/// A path of the project as an absolute one.
pub fn absolute(path: &str) -> String {
    format!("{ROOT}/{path}")
}

impl Symbol {
    /// Its whole code.
    pub fn code(&self) -> String {
        if self.body.is_empty() {
            return format!("{};", self.signature);
        }
        let body: String = self
            .body
            .iter()
            .map(|line| format!("    {line}\n"))
            .collect();
        format!("{} {{\n{body}}}", self.signature)
    }

    pub fn end_line(&self) -> usize {
        match self.body.len() {
            0 => self.line,
            lines => self.line + lines + 1,
        }
    }

    pub fn is_public(&self) -> bool {
        self.signature.starts_with("pub ")
    }
}

/// The file whose name comes last in a path, absolute or not; else the first file.
pub fn file(path: &str) -> &'static File {
    let named = |file: &&File| path.ends_with(file.path) || path == file.path;
    FILES.iter().find(named).unwrap_or(&FILES[0])
}

const fn function(
    name: &'static str,
    line: usize,
    signature: &'static str,
    body: &'static [&'static str],
    usages: usize,
) -> Symbol {
    Symbol {
        kind: "function",
        name,
        line,
        signature,
        body,
        doc: None,
        usages,
    }
}

const fn kind(
    kind: &'static str,
    name: &'static str,
    line: usize,
    signature: &'static str,
    body: &'static [&'static str],
    usages: usize,
) -> Symbol {
    Symbol {
        kind,
        name,
        line,
        signature,
        body,
        doc: None,
        usages,
    }
}

const fn documented(symbol: Symbol, doc: &'static str) -> Symbol {
    Symbol {
        doc: Some(doc),
        ..symbol
    }
}

/// All files, in the order of a walk over the directories.
pub const FILES: &[File] = &[
    File {
        path: "src/calculator.rs",
        symbols: &[
            documented(
                kind(
                    "struct",
                    "Calculator",
                    8,
                    "pub struct Calculator",
                    &[
                        "memory: Vec<Number>,",
                        "mode: AngleMode,",
                        "history: History,",
                    ],
                    31,
                ),
                "Evaluates expressions and remembers their results.",
            ),
            kind(
                "enum",
                "AngleMode",
                15,
                "pub enum AngleMode",
                &["Degrees,", "Radians,"],
                12,
            ),
            function(
                "add",
                20,
                "pub fn add(a: i32, b: i32) -> i32",
                &["a.saturating_add(b)"],
                34,
            ),
            function(
                "subtract",
                24,
                "pub fn subtract(a: i32, b: i32) -> i32",
                &["a.saturating_sub(b)"],
                19,
            ),
            function(
                "multiply",
                28,
                "pub fn multiply(a: i32, b: i32) -> i32",
                &["a.saturating_mul(b)"],
                17,
            ),
            documented(
                function(
                    "divide",
                    32,
                    "pub fn divide(a: i32, b: i32) -> Result<i32, MathError>",
                    &[
                        "match b {",
                        "    0 => Err(MathError::DivisionByZero),",
                        "    _ => Ok(a / b),",
                        "}",
                    ],
                    15,
                ),
                "Divides, towards zero.\n\nFails where the divisor is zero.",
            ),
            function(
                "calculate",
                40,
                "pub fn calculate(&mut self, input: &str) -> Result<Number, CalcError>",
                &[
                    "let ast = Parser::new(input).parse()?;",
                    "let value = self.evaluate(&ast)?;",
                    "self.history.push(input, value);",
                    "Ok(value)",
                ],
                22,
            ),
            function(
                "evaluate",
                47,
                "fn evaluate(&self, ast: &Ast) -> Result<Number, CalcError>",
                &[
                    "match ast {",
                    "    Ast::Number(number) => Ok(*number),",
                    "    Ast::Unary(sign, inner) => Ok(sign.apply(self.evaluate(inner)?)),",
                    "    Ast::Binary(left, op, right) => {",
                    "        op.apply(self.evaluate(left)?, self.evaluate(right)?)",
                    "    }",
                    "}",
                ],
                6,
            ),
            function(
                "recall",
                57,
                "pub fn recall(&self, slot: usize) -> Option<Number>",
                &["self.memory.get(slot).copied()"],
                4,
            ),
        ],
    },
    File {
        path: "src/format.rs",
        symbols: &[
            kind(
                "enum",
                "Notation",
                5,
                "pub enum Notation",
                &["Plain,", "Scientific,", "Engineering,"],
                9,
            ),
            kind(
                "struct",
                "Formatter",
                11,
                "pub struct Formatter",
                &[
                    "notation: Notation,",
                    "digits: usize,",
                    "separator: Option<char>,",
                ],
                8,
            ),
            function(
                "format_number",
                18,
                "pub fn format_number(number: Number, notation: Notation) -> String",
                &["Formatter::new(notation).show(number)"],
                14,
            ),
            function(
                "group_digits",
                22,
                "fn group_digits(digits: &str, separator: char) -> String",
                &[
                    "let parts: Vec<&str> = split_thousands(digits).collect();",
                    "parts.join(&separator.to_string())",
                ],
                3,
            ),
            function(
                "is_delimiter",
                27,
                "fn is_delimiter(byte: u8) -> bool",
                &["matches!(byte, b'|' | b'\\\\' | b'\\n')"],
                2,
            ),
        ],
    },
    File {
        path: "src/history.rs",
        symbols: &[
            kind(
                "struct",
                "History",
                6,
                "pub struct History",
                &["entries: Vec<Entry>,", "limit: usize,"],
                13,
            ),
            kind(
                "struct",
                "Entry",
                11,
                "pub struct Entry",
                &["input: String,", "result: Number,"],
                7,
            ),
            function(
                "push",
                16,
                "pub fn push(&mut self, input: &str, result: Number)",
                &[
                    "self.entries.push(Entry { input: input.to_owned(), result });",
                    "self.trim();",
                ],
                11,
            ),
            function(
                "trim",
                21,
                "fn trim(&mut self)",
                &[
                    "let extra = self.entries.len().saturating_sub(self.limit);",
                    "self.entries.drain(..extra);",
                ],
                1,
            ),
            function(
                "last",
                26,
                "pub fn last(&self) -> Option<&Entry>",
                &["self.entries.last()"],
                8,
            ),
            function(
                "save",
                30,
                "pub fn save(&self, path: &Path) -> io::Result<()>",
                &[
                    "let text = self.entries.iter().map(Entry::to_line).collect::<String>();",
                    "std::fs::write(path, text)",
                ],
                2,
            ),
        ],
    },
    File {
        path: "src/lexer.rs",
        symbols: &[
            kind(
                "struct",
                "Lexer",
                9,
                "pub struct Lexer<'s>",
                &["source: &'s str,", "position: usize,"],
                10,
            ),
            kind(
                "enum",
                "Token",
                14,
                "pub enum Token",
                &["Number(Number),", "Operator(Operator),", "Open,", "Close,"],
                27,
            ),
            function(
                "next_token",
                22,
                "pub fn next_token(&mut self) -> Result<Option<Token>, LexError>",
                &[
                    "self.skip_space();",
                    "match self.peek() {",
                    "    None => Ok(None),",
                    "    Some(letter) if letter.is_ascii_digit() => self.number().map(Some),",
                    "    Some(letter) => self.operator(letter).map(Some),",
                    "}",
                ],
                12,
            ),
            function(
                "skip_space",
                31,
                "fn skip_space(&mut self)",
                &[
                    "while self.peek().is_some_and(char::is_whitespace) {",
                    "    self.position += 1;",
                    "}",
                ],
                2,
            ),
            function(
                "number",
                37,
                "fn number(&mut self) -> Result<Token, LexError>",
                &[
                    "let digits = self.take_while(|letter| letter.is_ascii_digit() || letter == '.');",
                    "digits.parse().map(Token::Number).map_err(|_| LexError::BadNumber)",
                ],
                2,
            ),
        ],
    },
    File {
        path: "src/main.rs",
        symbols: &[
            kind(
                "struct",
                "Options",
                7,
                "struct Options",
                &["expression: Option<String>,", "notation: Notation,"],
                4,
            ),
            function(
                "main",
                12,
                "fn main() -> ExitCode",
                &[
                    "match run(&Options::parse()) {",
                    "    Ok(()) => ExitCode::SUCCESS,",
                    "    Err(error) => report(&error),",
                    "}",
                ],
                0,
            ),
            function(
                "run",
                19,
                "fn run(options: &Options) -> Result<(), CalcError>",
                &[
                    "let mut calculator = Calculator::default();",
                    "for line in options.lines() {",
                    "    println!(\"{}\", calculator.calculate(&line)?);",
                    "}",
                    "Ok(())",
                ],
                1,
            ),
            function(
                "report",
                27,
                "fn report(error: &CalcError) -> ExitCode",
                &["eprintln!(\"abacus: {error}\");", "ExitCode::FAILURE"],
                1,
            ),
        ],
    },
    File {
        path: "src/page.rs",
        symbols: &[
            kind(
                "struct",
                "CalculatorContext",
                10,
                "pub struct CalculatorContext",
                &["result: i32,", "history: Vec<Entry>,"],
                3,
            ),
            kind(
                "struct",
                "LayoutContext",
                26,
                "pub struct LayoutContext",
                &["title: String,", "locale: Locale,"],
                5,
            ),
            function(
                "render",
                44,
                "pub fn render(context: &CalculatorContext) -> Result<String, PageError>",
                &["context.render().map_err(PageError::Template)"],
                3,
            ),
        ],
    },
    File {
        path: "src/parser.rs",
        symbols: &[
            kind(
                "struct",
                "Parser",
                6,
                "pub struct Parser<'s>",
                &["lexer: Lexer<'s>,", "ahead: Option<Token>,"],
                42,
            ),
            function(
                "parse",
                12,
                "pub fn parse(&mut self) -> Result<Ast, ParseError>",
                &[
                    "let ast = self.sum()?;",
                    "match self.take()? {",
                    "    None => Ok(ast),",
                    "    Some(token) => Err(ParseError::Unexpected(token)),",
                    "}",
                ],
                18,
            ),
            function(
                "sum",
                20,
                "fn sum(&mut self) -> Result<Ast, ParseError>",
                &[
                    "let mut left = self.product()?;",
                    "while let Some(op) = self.operator(&[Operator::Add, Operator::Subtract])? {",
                    "    left = Ast::binary(left, op, self.product()?);",
                    "}",
                    "Ok(left)",
                ],
                2,
            ),
            function(
                "product",
                28,
                "fn product(&mut self) -> Result<Ast, ParseError>",
                &[
                    "let mut left = self.atom()?;",
                    "while let Some(op) = self.operator(&[Operator::Multiply, Operator::Divide])? {",
                    "    left = Ast::binary(left, op, self.atom()?);",
                    "}",
                    "Ok(left)",
                ],
                2,
            ),
            function(
                "atom",
                36,
                "fn atom(&mut self) -> Result<Ast, ParseError>",
                &[
                    "match self.take()? {",
                    "    Some(Token::Number(number)) => Ok(Ast::Number(number)),",
                    "    Some(Token::Open) => self.grouped(),",
                    "    other => Err(ParseError::expected_value(other)),",
                    "}",
                ],
                3,
            ),
        ],
    },
    File {
        path: "src/types.rs",
        symbols: &[
            kind("type", "Number", 4, "pub type Number = f64", &[], 58),
            kind(
                "enum",
                "Ast",
                15,
                "pub enum Ast",
                &[
                    "Number(Number),",
                    "Unary(Sign, Box<Ast>),",
                    "Binary(Box<Ast>, Operator, Box<Ast>),",
                ],
                36,
            ),
            kind(
                "enum",
                "Operator",
                23,
                "pub enum Operator",
                &["Add,", "Subtract,", "Multiply,", "Divide,"],
                24,
            ),
            kind("enum", "Sign", 31, "pub enum Sign", &["Plus,", "Minus,"], 5),
            kind(
                "struct",
                "Span",
                36,
                "pub struct Span",
                &["start: usize,", "end: usize,"],
                14,
            ),
            kind(
                "trait",
                "Apply",
                41,
                "pub trait Apply",
                &["fn apply(&self, left: Number, right: Number) -> Number;"],
                6,
            ),
        ],
    },
    File {
        path: "src/errors.rs",
        symbols: &[
            kind(
                "enum",
                "CalcError",
                5,
                "pub enum CalcError",
                &["Parse(ParseError),", "Math(MathError),"],
                21,
            ),
            kind(
                "enum",
                "MathError",
                12,
                "pub enum MathError",
                &["DivisionByZero,", "Overflow,"],
                16,
            ),
            kind(
                "enum",
                "ParseError",
                18,
                "pub enum ParseError",
                &["Unexpected(Token),", "Lex(LexError),"],
                20,
            ),
            kind(
                "enum",
                "LexError",
                25,
                "pub enum LexError",
                &["BadNumber,", "BadLetter(char),"],
                11,
            ),
            kind(
                "enum",
                "PageError",
                31,
                "pub enum PageError",
                &["Template(askama::Error),"],
                3,
            ),
            kind(
                "struct",
                "Locale",
                36,
                "pub struct Locale",
                &["decimal: char,", "group: char,"],
                4,
            ),
        ],
    },
];

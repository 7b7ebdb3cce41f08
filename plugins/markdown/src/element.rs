//! The elements of HTML, by their treatment.

/// The treatment of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Starts and ends a block of text.
    Block,
    /// `h1` to `h6`.
    Heading(u8),
    List {
        is_ordered: bool,
    },
    Item,
    Quote,
    /// Text that keeps its white space.
    Pre,
    TextArea,
    Table,
    Row,
    Cell {
        is_head: bool,
    },
    Caption,
    /// Groups of rows and columns.
    TablePart,
    Strong,
    Emphasis,
    Struck,
    Code,
    Quoted,
    Raised,
    Lowered,
    Link,
    Image,
    /// A frame or a video: becomes a link to its content.
    Embedded,
    Break,
    Rule,
    Input,
    /// Separate from the text beside it: a button, a choice.
    Apart,
    Choice,
    Term,
    Definition,
    Title,
    Base,
    /// Not shown: its content is removed.
    Hidden,
    /// `html`, `head`, `body` and the elements of the head.
    Frame,
    /// Only its text stays.
    Inline,
    /// A name that HTML does not have.
    Unknown,
}

impl Element {
    /// The element with a name in lower case.
    pub fn of(name: &[u8]) -> Element {
        use Element::*;
        match name {
            b"p" | b"div" | b"section" | b"article" | b"main" | b"header" | b"footer" | b"nav"
            | b"aside" | b"address" | b"figure" | b"figcaption" | b"details" | b"summary"
            | b"form" | b"fieldset" | b"legend" | b"hgroup" | b"center" | b"dialog" | b"search"
            | b"dl" | b"frameset" | b"optgroup" => Block,
            b"h1" => Heading(1),
            b"h2" => Heading(2),
            b"h3" => Heading(3),
            b"h4" => Heading(4),
            b"h5" => Heading(5),
            b"h6" => Heading(6),
            b"ul" | b"menu" | b"dir" => List { is_ordered: false },
            b"ol" => List { is_ordered: true },
            b"li" => Item,
            b"blockquote" => Quote,
            b"pre" | b"xmp" | b"listing" | b"plaintext" => Pre,
            b"textarea" => TextArea,
            b"table" => Table,
            b"tr" => Row,
            b"td" => Cell { is_head: false },
            b"th" => Cell { is_head: true },
            b"caption" => Caption,
            b"thead" | b"tbody" | b"tfoot" | b"colgroup" | b"col" => TablePart,
            b"strong" | b"b" => Strong,
            b"em" | b"i" | b"cite" | b"dfn" => Emphasis,
            b"del" | b"s" | b"strike" => Struck,
            b"code" | b"kbd" | b"samp" | b"tt" => Code,
            b"q" => Quoted,
            b"sup" => Raised,
            b"sub" => Lowered,
            b"a" | b"area" => Link,
            b"img" => Image,
            b"iframe" | b"frame" | b"video" | b"audio" | b"embed" | b"object" | b"source" => {
                Embedded
            }
            b"br" => Break,
            b"hr" => Rule,
            b"input" => Input,
            b"button" | b"select" | b"label" | b"output" | b"meter" | b"progress" | b"datalist" => {
                Apart
            }
            b"option" => Choice,
            b"dt" => Term,
            b"dd" => Definition,
            b"title" => Title,
            b"base" => Base,
            b"script" | b"style" | b"svg" | b"template" | b"noscript" | b"noembed"
            | b"noframes" => Hidden,
            b"html" | b"head" | b"body" | b"meta" | b"link" => Frame,
            b"span" | b"font" | b"small" | b"big" | b"u" | b"ins" | b"mark" | b"abbr"
            | b"acronym" | b"time" | b"data" | b"var" | b"bdi" | b"bdo" | b"ruby" | b"rt"
            | b"rp" | b"rb" | b"rtc" | b"wbr" | b"nobr" | b"canvas" | b"picture" | b"map"
            | b"math" | b"track" | b"param" | b"slot" => Inline,
            _ => Unknown,
        }
    }

    /// Whether a part of a page may begin with this element.
    pub fn holds_text(self) -> bool {
        use Element::*;
        !matches!(
            self,
            Hidden | Unknown | Title | Base | TablePart | Choice | Embedded | Input | TextArea
        )
    }

    /// Whether its text does not fit into a cell of a Markdown table.
    pub fn is_large(self) -> bool {
        use Element::*;
        matches!(
            self,
            Heading(_) | List { .. } | Item | Quote | Pre | TextArea | Rule | Term | Definition
        )
    }
}

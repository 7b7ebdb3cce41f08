//! Horizontal bars, one a row, each with its name.

use super::axis::Axis;
use super::markup::Text;
use crate::numbers::short;

pub(super) struct Bar {
    /// HTML.
    pub(super) name: String,
    /// The text of its tooltip: all its numbers, as an attribute.
    pub(super) title: String,
    /// The number at its end.
    pub(super) value: String,
    /// The drawn parts; none: the row has only its number.
    pub(super) parts: Vec<Part>,
}

/// A part of a bar; those that come later lie on top of those before.
pub(super) struct Part {
    /// Its class, which gives the colour.
    pub(super) class: &'static str,
    pub(super) from: f64,
    pub(super) tokens: f64,
}

/// The number of parts of the axis: a phone has room for the labels of three.
const PARTS: u32 = 3;

/// `unit`: the unit of the bars. `value`: the meaning of the numbers at their ends.
pub(super) fn chart(bars: &[Bar], unit: &str, value: &str) -> String {
    let ends = bars.iter().flat_map(|bar| &bar.parts);
    let axis = Axis::over(ends.map(|part| part.from + part.tokens.abs()), PARTS);
    let rows: Vec<String> = bars.iter().map(|bar| row(bar, &axis)).collect();
    let ticks: Vec<String> = axis.ticks.iter().map(|tick| mark(*tick, &axis)).collect();
    format!(
        "<ol class=\"bars\">\n{}<li class=\"scale\" aria-hidden=\"true\"><span class=\"name\">{}</span>\
         <svg class=\"bar\">{}</svg><span class=\"value\">{}</span></li>\n</ol>\n",
        rows.concat(),
        Text(unit),
        ticks.concat(),
        Text(value)
    )
}

fn row(bar: &Bar, axis: &Axis) -> String {
    let Bar {
        name,
        title,
        value,
        parts,
    } = bar;
    let drawn = if parts.is_empty() {
        format!("<span class=\"bar\">{title}</span>")
    } else {
        let parts: Vec<String> = parts.iter().map(|part| rect(part, axis)).collect();
        format!(
            "<svg class=\"bar\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>\
             <rect class=\"room\" width=\"100%\" height=\"100%\"/>{}</svg>",
            parts.concat()
        )
    };
    format!(
        "<li><span class=\"name\">{name}</span>{drawn}<span class=\"value\">{value}</span></li>\n"
    )
}

fn rect(part: &Part, axis: &Axis) -> String {
    // The widest is the one behind.
    let (y, height) = if matches!(part.class, "before" | "saved" | "added" | "failed") {
        (0, 100)
    } else {
        (22, 56)
    };
    format!(
        "<rect class=\"{}\" data-n=\"{}\" x=\"{:.4}%\" y=\"{y}%\" width=\"{:.4}%\" height=\"{height}%\"/>",
        part.class,
        part.tokens,
        axis.place(part.from),
        axis.length(part.tokens)
    )
}

fn mark(tick: f64, axis: &Axis) -> String {
    let place = axis.place(tick);
    format!(
        "<line x1=\"{place:.3}%\" x2=\"{place:.3}%\" y1=\"0\" y2=\"4\"/><text x=\"{place:.3}%\" y=\"16\">{}</text>",
        short(tick)
    )
}

//! The part of the page that shows days: tokens before, tokens after, and the net saving.

use super::axis::Axis;
use super::days::{Days, Slot};
use super::sections::account;
use super::tables::{self, TOKENS, Table};
use crate::numbers::{grouped, short, signed};
use std::fmt::Write;

/// The least number of slots in a plot, so that a single day is a bar and no wall.
const LEAST_SLOTS: usize = 7;

/// Labels of days, on a wide page and on a phone.
const WIDE_LABELS: usize = 12;
const NARROW_LABELS: usize = 4;

/// How much of its slot a bar takes, in per cent; the ones in front are narrower.
const BEHIND: f64 = 84.0;
const IN_FRONT: f64 = 52.0;

const LEGEND: &str = "<ul class=\"legend\" aria-label=\"Colours\"><li class=\"before\">before</li>\
    <li class=\"after\">after</li><li class=\"reread\">read back</li></ul>\n";

pub(super) fn section(days: &Days) -> String {
    let unit = days.unit();
    let mut body = String::new();
    if !days.slots.is_empty() {
        let tokens = format!("Tokens by {unit}");
        body += LEGEND;
        body += &tokens_plot(days, &tokens);
        body += &net_plot(days, &format!("Net saved by {unit}"));
        body += &table(days, &unit, &tokens);
    }
    if let Some(row) = &days.unplaced {
        let _ = writeln!(
            body,
            "<p class=\"note\">Not in any {unit}: {} tokens, read back from results whose calls are not in the ledger.</p>",
            grouped(row.reread_tokens)
        );
    }
    format!("<section class=\"card\" id=\"days\">\n<h2>Over time</h2>\n{body}</section>\n")
}

fn table(days: &Days, unit: &str, caption: &str) -> String {
    let mut head = vec![unit];
    head.extend(TOKENS);
    let used = days.slots.iter().filter(|slot| has_any(slot));
    let rows = used.map(|slot| tables::tokens(&days.name(slot), &slot.sums));
    Table {
        caption,
        head: &head,
        rows: rows.collect(),
        total: None,
    }
    .to_html()
}

fn has_any(slot: &Slot) -> bool {
    slot.sums.calls > 0 || slot.sums.reads > 0
}

fn tokens_plot(days: &Days, caption: &str) -> String {
    let tops = days.slots.iter().map(|slot| {
        let after = slot.sums.tokens_after as f64 + slot.sums.reread_tokens as f64;
        after.max(slot.sums.tokens_before as f64)
    });
    let axis = Axis::over(tops, 4);
    let mut bars = String::new();
    for (index, slot) in days.slots.iter().enumerate() {
        let sums = &slot.sums;
        let after = sums.tokens_after as f64;
        bars += &begin(days, index, slot);
        bars += &rect(
            days,
            index,
            "before",
            BEHIND,
            &axis,
            0.0,
            sums.tokens_before as f64,
        );
        bars += &rect(days, index, "after", IN_FRONT, &axis, 0.0, after);
        bars += &rect(
            days,
            index,
            "reread",
            IN_FRONT,
            &axis,
            after,
            sums.reread_tokens as f64,
        );
        bars += "</g>\n";
    }
    let most = days.slots.iter().max_by_key(|slot| slot.sums.tokens_before);
    let summary = most.map_or_else(String::new, |slot| {
        let most = grouped(slot.sums.tokens_before);
        format!(". The most before: {most}, {}", days.name(slot))
    });
    plot(days, "tokens", caption, &summary, &axis, &bars)
}

fn net_plot(days: &Days, caption: &str) -> String {
    let net = |slot: &Slot| slot.sums.net_saved_tokens();
    let axis = Axis::over(days.slots.iter().map(|slot| net(slot) as f64), 3);
    let mut bars = String::new();
    for (index, slot) in days.slots.iter().enumerate() {
        let net = net(slot);
        let class = if net < 0 { "added" } else { "saved" };
        bars += &begin(days, index, slot);
        bars += &rect(days, index, class, BEHIND, &axis, 0.0, net as f64);
        bars += "</g>\n";
    }
    let most = days.slots.iter().max_by_key(|slot| net(slot));
    let summary = most.map_or_else(String::new, |slot| {
        format!(". The most: {}, {}", signed(net(slot)), days.name(slot))
    });
    plot(days, "net", caption, &summary, &axis, &bars)
}

/// The start and the width of a slot, in per cent.
fn place(days: &Days, index: usize) -> (f64, f64) {
    let count = days.slots.len();
    let width = 100.0 / count.max(LEAST_SLOTS) as f64;
    let free = 100.0 - width * count as f64;
    (free / 2.0 + width * index as f64, width)
}

/// A slot, which says all its numbers wherever it is pointed at.
fn begin(days: &Days, index: usize, slot: &Slot) -> String {
    let (x, width) = place(days, index);
    format!(
        "<g><title>{}: {}</title><rect class=\"slot\" x=\"{x:.4}%\" width=\"{width:.4}%\" height=\"100%\"/>",
        days.name(slot),
        account(&slot.sums)
    )
}

fn rect(
    days: &Days,
    index: usize,
    class: &str,
    share: f64,
    axis: &Axis,
    from: f64,
    tokens: f64,
) -> String {
    if tokens == 0.0 {
        return String::new();
    }
    let (x, slot) = place(days, index);
    let width = slot * share / 100.0;
    let top = 100.0 - axis.place(from + tokens.max(0.0));
    format!(
        "<rect class=\"{class}\" data-n=\"{tokens}\" x=\"{:.4}%\" width=\"{width:.4}%\" y=\"{top:.4}%\" height=\"{:.4}%\"/>",
        x + (slot - width) / 2.0,
        axis.length(tokens)
    )
}

/// Bars between their axes. `summary` is for those who do not see them.
fn plot(days: &Days, class: &str, caption: &str, summary: &str, axis: &Axis, bars: &str) -> String {
    let (mut labels, mut lines) = (String::new(), String::new());
    for tick in &axis.ticks {
        let y = 100.0 - axis.place(*tick);
        let zero = if *tick == 0.0 { " class=\"zero\"" } else { "" };
        let _ = write!(
            labels,
            "<text x=\"100%\" y=\"{y:.3}%\">{}</text>",
            short(*tick)
        );
        let _ = write!(
            lines,
            "<line{zero} x2=\"100%\" y1=\"{y:.3}%\" y2=\"{y:.3}%\"/>"
        );
    }
    format!(
        "<figure class=\"plot {class}\">\n<figcaption>{caption}</figcaption>\n<div class=\"frame\">\
         <svg class=\"y\" aria-hidden=\"true\">{labels}</svg>\n\
         <svg class=\"area\" role=\"img\" aria-label=\"{caption}{summary}. The table below has the numbers.\">{lines}\n{bars}</svg>\n\
         <svg class=\"x\" aria-hidden=\"true\">{}</svg></div>\n</figure>\n",
        day_labels(days)
    )
}

fn day_labels(days: &Days) -> String {
    let wide = days.slots.len().div_ceil(WIDE_LABELS);
    let narrow = wide * days.slots.len().div_ceil(wide).div_ceil(NARROW_LABELS);
    let mut labels = String::new();
    for (index, slot) in days.slots.iter().enumerate().step_by(wide) {
        let (x, width) = place(days, index);
        let class = if index % narrow == 0 {
            ""
        } else {
            " class=\"wide\""
        };
        let _ = write!(
            labels,
            "<text{class} x=\"{:.3}%\" y=\"13\">{}</text>",
            x + width / 2.0,
            days.label(slot)
        );
    }
    labels
}

//! The Python project that the LensPR stand-in claims to have indexed: nodes, their code, and their usages.
//!
//! Owns the names and the code. Refuses to know envelopes, tools and MCP.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The node in all examples.
pub const TARGET: &str = "storefront.pricing.discounts.apply_discounts";

/// Functions that call [`TARGET`], shown with their code.
pub const CALLERS: [&str; 5] = [
    "storefront.checkout.session.finalize_checkout",
    "storefront.orders.reconcile.reconcile_daily_orders",
    "storefront.billing.invoices.build_invoice_lines",
    "storefront.marketing.preview.preview_campaign_prices",
    "storefront.admin.reports.export_margin_report",
];

/// Lines of each caller's code: with five callers, the answer has about 3,000 lines.
const CALLER_LINES: usize = 560;
/// Lines of the target's own code, which stays when the callers' code is cut.
const TARGET_LINES: usize = 78;

const AREAS: [&str; 9] = [
    "orders",
    "billing",
    "shipping",
    "catalog",
    "inventory",
    "payments",
    "returns",
    "pricing",
    "customers",
];
const VERBS: [&str; 8] = [
    "collect",
    "validate",
    "normalize",
    "merge",
    "archive",
    "publish",
    "schedule",
    "refresh",
];
const THINGS: [&str; 11] = [
    "invoice",
    "parcel",
    "refund",
    "voucher",
    "cart",
    "price_list",
    "stock_level",
    "receipt",
    "address",
    "shipment",
    "tax_rule",
];

/// The `n`th item, in a fixed order that looks random.
pub fn pick<'a>(items: &[&'a str], n: usize) -> &'a str {
    // Neighbouring n must give unrelated items, so the index comes from the high bits.
    let mixed = (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    items[mixed as usize % items.len()]
}

/// The name of a node within its module.
pub fn short_name(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}

/// The file that holds a node.
pub fn file_of(id: &str) -> String {
    let module = id.rsplit_once('.').map_or(id, |(module, _)| module);
    format!("src/{}.py", module.replace('.', "/"))
}

/// The first line of a node's code, without the colon.
pub fn signature(id: &str) -> String {
    let name = short_name(id);
    format!("def {name}(session: Session, batch: Batch, *, dry_run: bool = False) -> Report")
}

/// Whether the index has this node with its code.
pub fn knows(id: &str) -> bool {
    id == TARGET || CALLERS.contains(&id)
}

/// A node's code: Python that reads like a long function of a real project.
pub fn source(id: &str) -> String {
    let (seed, lines) = match CALLERS.iter().position(|caller| *caller == id) {
        Some(place) => (place + 1, CALLER_LINES),
        None => (0, TARGET_LINES),
    };
    let mut code = format!(
        "{}:\n    \"\"\"{} for one batch, and report what was done.\"\"\"\n    report = Report(batch.id)\n",
        signature(id),
        sentence_case(&short_name(id).replace('_', " ")),
    );
    let mut written = 3;
    for step in 0.. {
        let block = block(seed * 1000 + step);
        let size = block.lines().count();
        if written + size + 1 > lines {
            break;
        }
        code.push_str(&block);
        written += size;
    }
    code.push_str("    return report\n");
    code
}

/// One paragraph of a function body.
fn block(n: usize) -> String {
    let (verb, thing, area) = (pick(&VERBS, n), pick(&THINGS, n + 7), pick(&AREAS, n + 3));
    let limit = 10 + n * 37 % 490;
    match n % 4 {
        0 => format!(
            "\n    # Late {thing}s come from the {area} queue, oldest first.\n    \
             for {thing} in session.query(\"{area}\", status=\"open\", limit={limit}):\n        \
             if {thing}.total_cents <= 0 or {thing}.currency not in batch.currencies:\n            \
             logger.warning(\"skip {thing} %s: total %d\", {thing}.id, {thing}.total_cents)\n            \
             report.skipped.append({thing}.id)\n            continue\n        \
             report.add({verb}_{thing}(session, {thing}, dry_run=dry_run))\n"
        ),
        1 => format!(
            "\n    try:\n        {thing}s = {verb}_{thing}s(session, batch.{area}, page_size={limit})\n    \
             except {area}.TemporaryError as error:\n        \
             report.warnings.append(f\"{area}: {{error}}\")\n        {thing}s = []\n"
        ),
        2 => format!(
            "\n    {thing}_total = sum(line.quantity * line.unit_cents for line in batch.{thing}_lines)\n    \
             if {thing}_total > {limit}00 and not dry_run:\n        \
             discount = apply_discounts(session, batch, dry_run=dry_run)\n        \
             report.adjust(\"{thing}\", {thing}_total - discount.amount_cents)\n        \
             session.flush()\n"
        ),
        _ => format!(
            "\n    by_{area} = defaultdict(list)\n    for entry in report.entries_for(\"{thing}\"):\n        \
             by_{area}[entry.{area}_code].append(entry)\n    \
             for code, entries in sorted(by_{area}.items()):\n        \
             if len(entries) > {limit}:\n            \
             report.flag(code, reason=\"more than {limit} entries for one {thing}\")\n        \
             audit.record(\"{verb}\", code=code, count=len(entries), batch=batch.id)\n"
        ),
    }
}

/// The `n`th usage of the target of one kind of edge (`calls`, `imports`, `inherits`).
pub fn usage(edge: &str, n: usize) -> Value {
    let (verb, thing, area) = (pick(&VERBS, n), pick(&THINGS, n / 3), pick(&AREAS, n + 5));
    let name = format!("{verb}_{thing}_{n}");
    let id = format!("storefront.{area}.{thing}s.{name}");
    let snippet = match edge {
        "calls" => format!("discount = apply_discounts(session, batch, dry_run={thing}.draft)"),
        "imports" => "from storefront.pricing.discounts import apply_discounts".to_owned(),
        _ => format!("class {}Discounts(DiscountRules):", sentence_case(thing)),
    };
    json!({
        "node_id": id,
        "name": name,
        "file_path": file_of(&id),
        "line": 12 + n * 29 % 840,
        "edge_type": edge,
        "confidence": if n.is_multiple_of(11) { "inferred" } else { "resolved" },
        "is_test": false,
        "snippet": snippet,
        "alias": null,
        "metadata": {},
    })
}

/// The `n`th test that covers the target.
pub fn test(n: usize) -> Value {
    let (thing, area) = (pick(&THINGS, n * 5), pick(&AREAS, n * 2 + 1));
    let name = format!("test_apply_discounts_{thing}_{n}");
    json!({
        "id": format!("tests.{area}.test_discounts.{name}"),
        "name": name,
        "type": "function",
        "file_path": format!("tests/{area}/test_discounts.py"),
        "start_line": 20 + n * 17,
        "docstring": null,
        "markers": if n.is_multiple_of(6) { json!(["slow"]) } else { json!([]) },
    })
}

/// `n` sentences about this project, as a developer writes them.
pub fn sentences(seed: usize, n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let k = seed * 131 + i;
        let (verb, thing, area) = (pick(&VERBS, k), pick(&THINGS, k + 1), pick(&AREAS, k + 2));
        let thing = thing.replace('_', " ");
        let separator = if i == 0 { "" } else { " " };
        // Writing to a String cannot fail.
        let _ = match k % 5 {
            0 => write!(
                text,
                "{separator}The {area} module has to {verb} each {thing} before the nightly run."
            ),
            1 => write!(
                text,
                "{separator}I moved the {thing} rules out of {area}, because two callers disagreed about rounding."
            ),
            2 => write!(
                text,
                "{separator}Tests for {area} passed after the {thing} fixture was fixed."
            ),
            3 => write!(
                text,
                "{separator}Open question: who may {verb} a {thing} when {area} is read-only?"
            ),
            _ => write!(
                text,
                "{separator}Next time, look at the callers in {area} before changing how a {thing} is built."
            ),
        };
    }
    text
}

/// The same text with a capital first letter.
pub fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

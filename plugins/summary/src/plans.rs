//! Plans of Terraform and OpenTofu: what will be done to which resource.
//!
//! Owns the comments above resources (`# aws_instance.web[0] will be updated in-place`), and their order: what is lost comes
//! first. Refuses to know the attributes below them.

use crate::order;
use crate::paper::{Paper, characters, cut, one_line, some};
use crate::search::{begins, has, split};
use crate::trim::{trim, trim_start};

/// Fewest resources.
const LEAST: usize = 3;
/// Most resources of an action that are named; all are counted.
const NAMED: usize = 256;
/// Most resources that are named of an action that loses nothing.
const NAMED_OF_OTHERS: usize = 8;
/// Characters for each of the actions that follow.
const ROOM_FOR_ACTION: usize = 60;
/// Most warnings, and attributes that force a replacement, that are told.
const NOTES: usize = 6;
const NOTE_CHARACTERS: usize = 160;

/// What a plan says of resources: [`LOSSES`] of them first.
const ACTIONS: [&str; 10] = [
    " must be replaced",
    " will be replaced due to changes in replace_triggered_by",
    " will be replaced, as requested",
    " will be destroyed",
    " will be created",
    " will be imported",
    " has been deleted",
    " has changed",
    " will be updated in-place",
    " will be read during apply",
];

/// The number of actions that lose a resource.
const LOSSES: usize = 4;

/// What changed outside of a plan.
const OUTSIDE: [&str; 2] = [" has been deleted", " has changed"];

/// Most sums of plans, and what came of them, that are told.
const SUMS: usize = 6;

/// The resources of an action.
#[derive(Default)]
struct Action<'t> {
    count: usize,
    /// With the numbers of their lines.
    named: Vec<(usize, &'t str)>,
}

/// One plan, or several in one text.
pub struct Plan<'t> {
    plans: usize,
    actions: [Action<'t>; ACTIONS.len()],
    /// `Plan: 2 to add, 25 to change, 5 to destroy.`, and what came of it, with the numbers of their lines.
    sums: Vec<(usize, &'t str)>,
    number_of_sums: usize,
    /// Warnings, and attributes for which a resource must be replaced.
    notes: Vec<(usize, &'t str)>,
    number_of_notes: usize,
}

/// Whether a line sums a plan up, or says what came of it.
pub fn is_sum(line: &str) -> bool {
    line.starts_with("Plan: ") || line.starts_with("Apply complete! ")
}

/// Whether a line is a warning, or an attribute for which a resource must be replaced.
fn is_note(line: &str) -> bool {
    let line = trim(line);
    line.trim_start_matches(['│', ' ']).starts_with("Warning: ")
        || line.ends_with("# forces replacement")
}

/// Whether a line tells what is read or done: `aws_instance.web: Refreshing state... [id=i-0a1b]`.
fn is_progress(line: &str) -> bool {
    const DOES: [&str; 14] = [
        "Refreshing state...",
        "Reading...",
        "Still reading...",
        "Read complete after ",
        "Creating...",
        "Still creating...",
        "Creation complete after ",
        "Modifying...",
        "Still modifying...",
        "Modifications complete after ",
        "Destroying...",
        "Still destroying...",
        "Destruction complete after ",
        "Preparing import...",
    ];
    split(line, ": ").is_some_and(|(name, does)| begins(does, &DOES) && is_address(name))
}

/// The action, by its place in [`ACTIONS`], and the resource of a line.
fn of_line(line: &str) -> Option<(usize, &str)> {
    let comment = trim(line).strip_prefix("# ")?;
    let mut actions = ACTIONS.iter().enumerate();
    let (at, name) = actions.find_map(|(at, action)| Some((at, comment.strip_suffix(action)?)))?;
    // `aws_instance.web is tainted, so must be replaced`
    let name = name.strip_suffix(" is tainted, so").unwrap_or(name);
    is_address(name).then_some((at, name))
}

/// Whether a text is the address of a resource: `module.a.aws_route53_record.r["example.com TXT"]`. One that was deposed is
/// no resource of the plan's end: `aws_instance.web (deposed object 3f2a)`.
fn is_address(text: &str) -> bool {
    let (address, _) = text.split_once(" (deposed object ").unwrap_or((text, ""));
    let mut is_in_quotes = false;
    address.contains('.')
        && address.chars().all(|c| {
            is_in_quotes ^= c == '"';
            is_in_quotes || c != ' '
        })
}

/// Whether a line may be of a plan.
pub fn may_be(line: &str) -> bool {
    trim_start(line).starts_with(['#', '+', '-', '~'])
}

/// The plan in a text; none if it has none.
pub fn of<'t>(text: &str, lines: impl Iterator<Item = (usize, &'t str)>) -> Option<Plan<'t>> {
    if !has(text, "perform the following actions:") {
        return None;
    }
    let mut plan = Plan {
        plans: 0,
        actions: Default::default(),
        sums: Vec::new(),
        number_of_sums: 0,
        notes: Vec::new(),
        number_of_notes: 0,
    };
    // The lines of plans, and where one begins. What is read before a plan, and done after it, is of it.
    let (mut inside, mut last, mut begin) = (0, 0, None);
    for (number, line) in lines {
        last = number;
        if begin.is_none() && is_progress(line) {
            inside += 1;
            continue;
        }
        if line.ends_with("perform the following actions:") {
            begin.get_or_insert(number);
            plan.plans += 1;
        }
        if is_sum(line) {
            if line.starts_with("Plan: ") {
                inside += begin.take().map_or(0, |begin| number + 1 - begin);
            }
            plan.number_of_sums += 1;
            plan.sums.truncate(SUMS - 1);
            plan.sums.push((number, line));
        } else if is_note(line) {
            plan.number_of_notes += 1;
            if plan.notes.len() < NOTES {
                plan.notes.push((number, line));
            }
        } else if let Some((action, name)) = of_line(line) {
            let action = &mut plan.actions[action];
            action.count += 1;
            if action.named.len() < NAMED {
                action.named.push((number, name));
            }
        }
    }
    // The other lines of a long log are told nowhere.
    (plan.count() >= LEAST && inside * 2 >= last).then_some(plan)
}

impl Plan<'_> {
    /// The number of resources for which something is planned.
    fn count(&self) -> usize {
        let actions = ACTIONS.iter().zip(&self.actions);
        let planned = actions.filter(|(name, _)| !OUTSIDE.contains(name));
        planned.map(|(_, action)| action.count).sum()
    }

    /// The line of the first resource that is lost.
    pub fn point(&self) -> Option<usize> {
        let lost = self.actions[..LOSSES].iter().flat_map(|it| &it.named);
        lost.map(|(number, _)| *number).min()
    }

    /// Writes the sum of a plan, then the resources by action, with the numbers of their lines.
    pub fn tell(&self, paper: &mut Paper) {
        for (number, line) in &self.sums {
            paper.cut_line(&format!("{number}: {}", one_line(trim(line))));
        }
        paper.count_rest(self.number_of_sums - self.sums.len(), "sums");
        for (number, line) in &self.notes {
            let line = cut(trim(line), NOTE_CHARACTERS);
            paper.cut_line(&format!("{number}: {}", one_line(&line)));
        }
        paper.count_rest(self.number_of_notes - self.notes.len(), "lines");
        let resources = some(self.count(), "resources");
        let plans = match self.plans {
            0 | 1 => String::new(),
            plans => format!(" in {plans} plans"),
        };
        paper.cut_line(&format!("plan for {resources}{plans}, by line:"));
        let mut actions: Vec<_> = ACTIONS.iter().zip(&self.actions).collect();
        actions.retain(|(_, action)| action.count > 0);
        // What is lost comes first, then what few have.
        order::least_first(&mut actions, |(name, action)| {
            let is_other = !ACTIONS[..LOSSES].contains(name);
            i64::from(is_other) * action.count as i64
        });
        let mut left = actions.len();
        for (name, action) in actions {
            left -= 1;
            let mut said = format!("{} {}", trim(name), action.count);
            let room = paper.left().saturating_sub(ROOM_FOR_ACTION * left + 24);
            let most = match ACTIONS[..LOSSES].contains(name) {
                true => NAMED,
                false => NAMED_OF_OTHERS,
            };
            let mut shown = 0;
            for (number, resource) in action.named.iter().take(most) {
                let sign = if shown == 0 { ":" } else { "," };
                let item = format!("{sign} {number} {}", one_line(resource));
                if characters(&said) + characters(&item) > room {
                    break;
                }
                said.push_str(&item);
                shown += 1;
            }
            if shown > 0 && shown < action.count {
                said.push_str(&format!(", and {} more", action.count - shown));
            }
            paper.cut_line(&said);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_of_a_plan_are_told_by_action_and_those_that_are_lost_first() {
        let mut text =
            "OpenTofu will perform the following actions:\n│ Warning: Old argument\n".to_owned();
        for at in 0..30 {
            let action = match at {
                7 => "is tainted, so must be replaced",
                9 => "must be replaced",
                11..14 => "will be destroyed",
                20 => "will be created",
                _ => "will be updated in-place",
            };
            text.push_str(&format!(
                "  # module.a.svc[{at}] {action}\n  # (because of it)\n  ~ resource \"svc\" \"a\" {{\n    }}\n"
            ));
        }
        text.push_str("      ~ zone = 1 -> 2 # forces replacement\nPlan: 3 to add, 24 to change, 5 to destroy.\n");
        let plan = of(&text, (1..).zip(text.lines())).unwrap();
        let mut paper = Paper::new(700);
        plan.tell(&mut paper);
        let told = paper.text();
        let expected = "124: Plan: 3 to add, 24 to change, 5 to destroy.\n2: │ Warning: Old argument\n123: ~ zone = 1 -> 2 # forces replacement\nplan for 30 resources, by line:\n\
             must be replaced 2: 31 module.a.svc[7], 39 module.a.svc[9]\n\
             will be destroyed 3: 47 module.a.svc[11], 51 module.a.svc[12], 55 module.a.svc[13]\n\
             will be created 1: 83 module.a.svc[20]\nwill be updated in-place 24: 3 module.a.svc[0], 7 module.a.svc[1], 11 module.a.svc[2], 15 module.a.svc[3], \
             19 module.a.svc[4], 23 module.a.svc[5], 27 module.a.svc[6], 35 module.a.svc[8], and 16 more\n";
        assert_eq!(told, expected);
        assert!(of(&text[48..], (1..).zip(text[48..].lines())).is_none());
        // State that is read before a plan is most of the lines of a small one.
        let read = "module.a.svc[1]: Refreshing state... [id=i-0a]\ndata.aws_ami.a: Read complete after 0s\n";
        let long = format!("{}{text}", read.repeat(80));
        let plan = of(&long, (1..).zip(long.lines())).expect("a plan");
        assert_eq!((plan.count(), plan.point()), (30, Some(191)));
        let other = format!("{}{text}", "step one: Refreshing state...\n".repeat(160));
        assert!(of(&other, (1..).zip(other.lines())).is_none());
        let twice = format!("{text}{text}");
        let plan = of(&twice, (1..).zip(twice.lines())).unwrap();
        let mut paper = Paper::new(700);
        plan.tell(&mut paper);
        assert!(paper.text().contains("plan for 60 resources in 2 plans"));
    }

    #[test]
    fn addresses_are_whole() {
        for (comment, name) in [
            (
                "# r.a[\"example.com TXT\"] will be destroyed",
                "r.a[\"example.com TXT\"]",
            ),
            (
                "# r.a (deposed object 3f2a) will be destroyed",
                "r.a (deposed object 3f2a)",
            ),
            ("# r.a is tainted, so must be replaced", "r.a"),
        ] {
            assert_eq!(of_line(comment).map(|(_, name)| name), Some(name));
        }
        assert_eq!(of_line("# the file a.txt will be destroyed"), None);
    }

    #[test]
    fn what_changed_outside_is_no_part_of_a_plan_and_a_log_around_it_is_more() {
        let mut text = "  # a.z has changed\nTofu will perform the following actions:\n".to_owned();
        for at in 0..3 {
            text.push_str(&format!(
                "  # a.b[{at}] will be replaced due to changes in replace_triggered_by\n"
            ));
        }
        for at in 1..4 {
            text.push_str(&format!("Plan: {at} to add, 0 to change, 3 to destroy.\n"));
        }
        let plan = of(&text, (1..).zip(text.lines())).unwrap();
        assert_eq!((plan.count(), plan.sums.len()), (3, 3));
        assert_eq!(plan.point(), Some(3));
        let gone = format!(
            "  # a.gone has been deleted\nTofu will perform the following actions:\n{}{}",
            "  # a.b will be destroyed\n".repeat(20),
            "Plan: 9\n".repeat(8)
        );
        let plan = of(&gone, (1..).zip(gone.lines())).unwrap();
        assert_eq!((plan.count(), plan.point()), (20, Some(3)));
        let mut paper = Paper::new(700);
        plan.tell(&mut paper);
        assert!(paper.text().contains("and 2 more sums"), "{}", paper.text());
        text.push_str(&"a line of a log\n".repeat(9));
        assert!(of(&text, (1..).zip(text.lines())).is_none());
    }
}

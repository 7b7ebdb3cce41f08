//! A step that several chains share: Tamis loads its filter once.

use crate::support::built::{self, Target};
use tamis::policy::{Piece, Policy, Source, Surface};
use tamis::sandbox::Sandbox;
use tamis::{built_in, chain};

/// The number of instances that loading this policy creates.
fn instances(text: &str) -> u64 {
    loaded(text).numbers().instances_made()
}

/// The sandbox after loading this policy, without compiled code from before.
fn loaded(text: &str) -> Sandbox {
    let source = Source::new("filters.toml", text).expect("text");
    let policy = Policy::parse(source, &built_in::names());
    let policy = policy.unwrap_or_else(|report| panic!("{report}"));
    let sandbox = Sandbox::new(None).expect("start the sandbox");
    let chains = chain::load(policy, &sandbox).expect("it loads");
    let found = chains.find(&Piece::new(Surface::Result, "t0"));
    assert!(found.is_some_and(|chain| chain.has_steps()));
    sandbox
}

fn chains(count: usize, step: impl Fn(usize) -> String) -> String {
    let chain = |index: usize| {
        let step = step(index);
        format!(
            "[[chain]]\nname = \"c{index}\"\ntools = [\"t{index}\"]\nsteps = [\"ansi\", {step}]\n"
        )
    };
    (0..count).map(chain).collect()
}

#[test]
fn a_step_of_five_chains_is_configured_once() {
    let same = |_| "{ filter = \"null-stripper\", depth = 2 }".to_owned();
    let one = instances(&chains(1, same));
    assert_eq!(instances(&chains(5, same)), one);
    let list = "[steps]\ntidy = [{ filter = \"null-stripper\", depth = 2 }]\n";
    let by_name = list.to_owned() + &chains(5, |_| "\"tidy\"".to_owned());
    assert_eq!(instances(&by_name), one);
    // Other settings or limits make another step.
    let other = |index: usize| format!("{{ filter = \"null-stripper\", depth = {} }}", index + 1);
    assert_eq!(instances(&chains(5, other)), one + 4);
    let limits = |index: usize| {
        let time = index + 50;
        format!("{{ filter = \"null-stripper\", depth = 2, limits = {{ time = \"{time}ms\" }} }}")
    };
    assert_eq!(instances(&chains(5, limits)), one + 4);
}

#[test]
fn a_plugin_of_five_chains_is_compiled_once() {
    let path = built::path(Target::Unknown, "noop");
    let plugin = format!("[[plugin]]\nname = \"mine\"\npath = {path:?}\nallow = [\"log\"]\n");
    let step = |_| "{ filter = \"mine\" }".to_owned();
    for count in [1, 5] {
        let sandbox = loaded(&(plugin.clone() + &chains(count, step)));
        assert_eq!(sandbox.numbers().compiled(), 1, "{count} chains");
    }
}

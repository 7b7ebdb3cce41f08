//! `session-notes`: keeps a server's notes of earlier sessions within a budget.
//!
//! Notes of earlier sessions grow with every session and are repeated to each new one. This filter
//! drops those that are of no use by their keys, cuts long ones, puts the important ones first, and
//! counts what has no place. It takes notes as members of an object, as objects of a list, and as
//! Markdown sections. All sizes are bytes as they stand in the document, a JSON string's escapes
//! included, since those are what a model is shown.

mod choice;
mod json;
mod markdown;
mod repeats;
mod wording;

use choice::{Choice, Note, Rules};
use serde::Deserialize;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Glob, Kind, Node, NodeKind, Paths,
    Splices, Verdict, quote,
};
use wording::Wording;

/// Where notes are, which of them stay, and how large they may be.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Paths of what holds the notes, in JSON: an object whose members they are, or a list of
    /// objects. Where none of them leads anywhere, the whole document is taken for notes if one of
    /// its keys is named in `drop`, `drop-repeats` or `first`.
    at: Vec<String>,
    /// In a list of notes: the member that is a note's key.
    key_field: String,
    /// In a list of notes: the member that is a note's text.
    value_field: String,
    /// In Markdown: the heading under which the notes are, each under a heading of its own.
    section: String,
    /// In Markdown: the level of the notes' headings, 1 to 6. 0 is that of the first under
    /// `section`, and 2 where there is no such section.
    heading_level: u8,
    /// In Markdown: headings that end the notes, with `*` for any run of characters.
    until: Vec<String>,
    /// Keys of notes that go, with `*` for any run of characters.
    drop: Vec<String>,
    /// Keys of notes that go when they repeat what recent changes already say.
    drop_repeats: Vec<String>,
    /// Keys of notes, and in Markdown headings beside the notes, that tell the recent changes.
    recent: Vec<String>,
    /// Paths of other places in a JSON document that tell the recent changes.
    recent_at: Vec<String>,
    /// How much of a note has to be in the recent changes for it to repeat them: of all its runs of
    /// three words, percent. A long note is judged by what would be left of it.
    repeat_percent: u32,
    /// Keys of the notes that come first, in this order; the rest is alphabetical.
    first: Vec<String>,
    /// Bytes that one note may have.
    note_bytes: u32,
    /// Bytes that all notes may have, keys included.
    total_bytes: u32,
    /// The call that returns whole notes: {read} in the lines below.
    read: String,
    /// Last line of a note that was cut. {shown} and {total} are bytes.
    truncated: String,
    /// The line that counts notes that had no place in the budget.
    left_out: String,
    /// In JSON: the key of that line.
    left_out_key: String,
}

impl Default for Settings {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Settings {
            at: list(&["notes", "data.notes"]),
            key_field: "key".to_owned(),
            value_field: "value".to_owned(),
            section: "Session Notes".to_owned(),
            heading_level: 0,
            until: Vec::new(),
            drop: list(&["_log_*", "handoff_at"]),
            drop_repeats: list(&["handoff"]),
            recent: list(&[
                "_log_*",
                "recent_changes",
                "Recent Changes*",
                "Recent changes*",
            ]),
            recent_at: list(&["recent_changes", "data.recent_changes", "data.actions"]),
            repeat_percent: 60,
            first: list(&["current_session"]),
            note_bytes: 2048,
            total_bytes: 4096,
            read: "lens_session_read()".to_owned(),
            truncated: "[truncated: {shown} of {total} bytes; {read} returns the whole note]"
                .to_owned(),
            left_out: "[{count} more notes left out; {read} returns all of them]".to_owned(),
            left_out_key: "_left_out".to_owned(),
        }
    }
}

struct SessionNotes {
    settings: Settings,
    at: Paths,
    recent_at: Paths,
    until: Vec<Glob>,
    rules: Rules,
    wording: Wording,
}

impl SessionNotes {
    fn filter_json(&self, document: &Document, root: Node<'_>) -> Verdict {
        let mut edits = Edits::new();
        let found = self.at.find(document, root);
        if found.is_empty() && self.holds_notes(document, root) {
            self.filter_container(document, root, root, &mut edits);
        }
        let mut done = 0;
        for found in found {
            // Two paths may lead to one place, or to one inside the other.
            if found.value.index() >= done {
                done = found.value.next_index();
                self.filter_container(document, root, found.value, &mut edits);
            }
        }
        edits.into()
    }

    /// Whether a document without any of the named places is nothing but notes.
    fn holds_notes(&self, document: &Document, root: Node<'_>) -> bool {
        let keys = json::keys(document, root, &self.settings);
        keys.iter().any(|key| self.rules.know(key))
    }

    fn filter_container(
        &self,
        document: &Document,
        root: Node<'_>,
        container: Node<'_>,
        edits: &mut Edits,
    ) {
        let notes = json::notes(document, container, &self.settings, &self.wording);
        let Some(notes) = notes else { return };
        let choice = self.rules.choose(&notes, |said| {
            for found in self.recent_at.find(document, root) {
                let text = document.string(found.value);
                said.add(&text.unwrap_or_else(|| document.raw(found.value)));
            }
        });
        if !is_change(&notes, &choice) {
            return;
        }
        let is_object = container.kind() == NodeKind::Object;
        let written = json::written(&notes, &choice, is_object, &self.settings, &self.wording);
        edits.replace(container, &written);
    }

    fn filter_text(&self, text: &str) -> Verdict {
        let found = markdown::Notes::of(
            text,
            &self.settings,
            &self.until,
            &self.rules,
            &self.wording,
        );
        let Some(found) = found else {
            return Verdict::Unchanged;
        };
        let choice = self.rules.choose(&found.notes, |said| {
            markdown::recent_changes(text, &self.rules.recent, &found.range, said);
        });
        if !is_change(&found.notes, &choice) {
            return Verdict::Unchanged;
        }
        let written = found.written(&choice, &self.wording);
        let mut splices = Splices::new();
        // Offsets of a document are 32 bits wide.
        splices.replace(found.range.start as u32, found.range.end as u32, &written);
        splices.into()
    }
}

fn is_change(notes: &[Note<'_>], choice: &Choice) -> bool {
    !choice.is_everything(notes) || notes.iter().any(|note| note.is_cut)
}

impl Filter for SessionNotes {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "session-notes",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        for (key, value) in [
            ("key-field", &settings.key_field),
            ("value-field", &settings.value_field),
            ("left-out-key", &settings.left_out_key),
        ] {
            if value.is_empty() {
                return Err(format!("`{key}` is an empty string: name a key"));
            }
        }
        if settings.key_field == settings.value_field {
            return Err(format!(
                "`key-field` and `value-field` are both {}: name two members",
                quote(&settings.key_field)
            ));
        }
        if settings.heading_level > 6 {
            return Err(format!(
                "`heading-level` is {}: allowed are 0 to 6",
                settings.heading_level
            ));
        }
        if settings.repeat_percent > 100 {
            return Err(format!(
                "`repeat-percent` is {}: allowed are 0 to 100",
                settings.repeat_percent
            ));
        }
        if settings.total_bytes < settings.note_bytes {
            return Err(format!(
                "`total-bytes` is {}, less than the {} of `note-bytes`: a note of full length would never have a place",
                settings.total_bytes, settings.note_bytes
            ));
        }
        let paths = |key: &str, paths: &[String]| {
            Paths::parse(paths).map_err(|error| format!("`{key}`: {error}"))
        };
        let globs = |names: &[String]| names.iter().map(|name| Glob::new(name)).collect();
        Ok(SessionNotes {
            at: paths("at", &settings.at)?,
            recent_at: paths("recent-at", &settings.recent_at)?,
            until: globs(&settings.until),
            rules: Rules {
                drop: globs(&settings.drop),
                drop_repeats: globs(&settings.drop_repeats),
                recent: globs(&settings.recent),
                repeat_percent: settings.repeat_percent,
                first: globs(&settings.first),
                total_bytes: settings.total_bytes as usize,
            },
            wording: Wording::new(
                &settings.truncated,
                &settings.left_out,
                &settings.read,
                settings.note_bytes as usize,
            )?,
            settings,
        })
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        Ok(match document.kind() {
            Kind::Json => match document.root() {
                Some(root) => self.filter_json(document, root),
                None => Verdict::Unchanged,
            },
            Kind::Text => self.filter_text(document.text()),
        })
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(SessionNotes);

#[cfg(test)]
mod tests;

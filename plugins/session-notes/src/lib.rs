//! `session-notes`: cuts a server's notes of earlier sessions to a budget.
//!
//! Such notes grow with every session, and each new session gets them again. This filter drops useless ones by their
//! keys, cuts long ones, puts the important ones first, and counts the ones without room. It takes notes as members of
//! an object, as objects of a list, and as Markdown sections. All sizes are bytes as the document spells them,
//! including a JSON string's escapes, because the model sees these.

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

/// The settings: where notes are, which of them stay, and their largest sizes.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Paths of the notes in JSON: an object whose members are notes, or a list of objects. If no path exists, the
    /// whole document counts as notes if `drop`, `drop-repeats` or `first` names one of its keys.
    at: Vec<String>,
    /// In a list of notes: the member with a note's key.
    key_field: String,
    /// In a list of notes: the member with a note's text.
    value_field: String,
    /// In Markdown: the heading above the notes, each of which has its own heading.
    section: String,
    /// In Markdown: the level of the notes' headings, 1 to 6. 0: the level of the first one under `section`, or 2
    /// without such a section.
    heading_level: u8,
    /// In Markdown: headings that end the notes. `*` matches any characters.
    until: Vec<String>,
    /// Keys of notes to remove. `*` matches any characters.
    drop: Vec<String>,
    /// Keys of notes to remove if they repeat the recent changes.
    drop_repeats: Vec<String>,
    /// Keys of notes, and in Markdown headings beside the notes, that tell the recent changes.
    recent: Vec<String>,
    /// Paths of other parts of a JSON document that tell the recent changes.
    recent_at: Vec<String>,
    /// Percentage of a note's runs of three words that must be in the recent changes for a repetition. Of a long note,
    /// only the part within its limit counts.
    repeat_percent: u32,
    /// Keys of the first notes, in this order; the rest is alphabetical.
    first: Vec<String>,
    /// Maximum number of bytes of one note.
    note_bytes: u32,
    /// Maximum number of bytes of all notes, keys included.
    total_bytes: u32,
    /// The call that returns whole notes: {read} in the lines below.
    read: String,
    /// Last line of a note that was cut. {shown} and {total} are bytes.
    truncated: String,
    /// Line that counts the notes without room in the budget.
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
            // Two paths may lead to one place, or one inside the other.
            if found.value.index() >= done {
                done = found.value.next_index();
                self.filter_container(document, root, found.value, &mut edits);
            }
        }
        edits.into()
    }

    /// Whether a document without any of the paths consists of notes.
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
        let choice = self.rules.choose(&notes, |runs| {
            for found in self.recent_at.find(document, root) {
                let text = document.string(found.value);
                runs.add(&text.unwrap_or_else(|| document.raw(found.value)));
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
        let choice = self.rules.choose(&found.notes, |runs| {
            markdown::recent_changes(text, &self.rules.recent, &found.range, runs);
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

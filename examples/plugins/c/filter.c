// `keep-lines`: keeps the first lines of a long text, and adds a line with the number of omitted ones.

#include "plugin.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_LINES 20

// The settings, as JSON Schema.
static const char SETTINGS[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"properties\":{\"max-lines\":{"
    "\"type\":\"integer\",\"minimum\":2,\"default\":20,"
    "\"description\":\"Maximum number of lines that stay, including the line about the rest.\"}},"
    "\"additionalProperties\":false}";

static long max_lines = DEFAULT_LINES;

// The bindings free the returned values, so every string is a copy.
void exports_tamis_filter_filter_describe(exports_tamis_filter_filter_description_t *ret) {
  memset(ret, 0, sizeof *ret);
  plugin_string_dup(&ret->name, "keep-lines");
  plugin_string_dup(&ret->version, "0.1.0");
  plugin_string_dup(&ret->summary, "keeps the first lines of a long text");
  plugin_string_dup(&ret->settings, SETTINGS);
  // The filter cuts content, so Tamis stores the original and tells the model how to read it.
  ret->fidelity = TAMIS_FILTER_TYPES_FIDELITY_PARTIAL;
  ret->idempotent = true;
  ret->growth = TAMIS_FILTER_TYPES_GROWTH_NONE;
}

// Appends to a message. (`snprintf` would make this plugin five times as large, with imports of WASI.)
static char *put(char *end, const char *text, size_t bytes) {
  memcpy(end, text, bytes);
  return end + bytes;
}

// Sets the error that the operator sees: the wrong value between two pieces of text.
static bool refuse(plugin_string_t *err, const char *before, const char *found, size_t bytes, const char *after) {
  char message[256];
  char *end = put(message, before, strlen(before));
  end = put(end, found, bytes < 64 ? bytes : 64);
  end = put(end, after, strlen(after));
  plugin_string_dup_n(err, message, (size_t)(end - message));
  return false;
}

// `settings` is a JSON object without whitespace, such as {"max-lines":40}. An instance serves one document, so it need
// not free memory.
bool exports_tamis_filter_filter_configure(plugin_string_t *settings, exports_tamis_filter_filter_configured_t *ret,
                                           plugin_string_t *err) {
  char *json = strndup((const char *)settings->ptr, settings->len);
  for (char *quote = strchr(json, '"'); quote != NULL;) {
    char *key = quote + 1;
    size_t key_bytes = strcspn(key, "\"");
    if (key_bytes != strlen("max-lines") || strncmp(key, "max-lines", key_bytes) != 0) {
      return refuse(err, "unknown key `", key, key_bytes, "`, expected `max-lines`");
    }
    char *value = key + key_bytes + strlen("\":");
    size_t value_bytes = strcspn(value, ",}");
    char *end;
    max_lines = strtol(value, &end, 10);
    if (end != value + value_bytes || max_lines < 2) {
      return refuse(err, "`max-lines` is ", value, value_bytes,
                    ": a number from 2 on is allowed, one line of it for what is left out");
    }
    quote = strchr(end, '"');
  }
  memset(ret, 0, sizeof *ret);
  ret->fidelity = TAMIS_FILTER_TYPES_FIDELITY_PARTIAL;
  return true;
}

bool exports_tamis_filter_filter_apply(exports_tamis_filter_filter_verdict_t *ret,
                                       exports_tamis_filter_filter_filter_error_t *err) {
  (void)err;
  ret->tag = TAMIS_FILTER_TYPES_VERDICT_UNCHANGED;
  if (tamis_filter_document_kind() != TAMIS_FILTER_DOCUMENT_DOCUMENT_KIND_TEXT) return true;
  plugin_string_t text;
  tamis_filter_document_text(&text);
  // Counts lines, and finds the end of the last kept one. No line follows the last line break.
  const uint8_t *end = text.ptr + text.len;
  size_t kept_bytes = 0;
  long total = 0;
  for (const uint8_t *line = text.ptr; line < end; total++) {
    const uint8_t *line_break = memchr(line, '\n', (size_t)(end - line));
    line = line_break == NULL ? end : line_break + 1;
    if (total + 1 == max_lines - 1) kept_bytes = (size_t)(line - text.ptr);
  }
  if (total <= max_lines) return true;
  char note[64], digits[20];
  size_t first = sizeof digits;
  for (long more = total - (max_lines - 1); more > 0; more /= 10) digits[--first] = (char)('0' + more % 10);
  char *note_end = put(note, "[", 1);
  note_end = put(note_end, digits + first, sizeof digits - first);
  note_end = put(note_end, " more lines]\n", strlen(" more lines]\n"));
  size_t note_bytes = (size_t)(note_end - note);
  if (kept_bytes + note_bytes >= text.len) return true;
  // The document's text is a copy, and there is room for the note in it.
  memcpy(text.ptr + kept_bytes, note, note_bytes);
  text.len = kept_bytes + note_bytes;
  ret->tag = TAMIS_FILTER_TYPES_VERDICT_REWRITTEN;
  ret->val.rewritten.kind = TAMIS_FILTER_DOCUMENT_DOCUMENT_KIND_TEXT;
  ret->val.rewritten.text = text;
  return true;
}

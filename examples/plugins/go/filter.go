// `keep-lines`: keeps the first lines of a long text, and adds a line with the number of omitted ones.
package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"keep-lines/bindings/document"
	"keep-lines/bindings/filter"
	"keep-lines/bindings/plugin"
	"keep-lines/bindings/types"
)

const defaultLines = 20

// The settings, as JSON Schema.
const settingsSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "max-lines": {
      "type": "integer",
      "minimum": 2,
      "default": 20,
      "description": "Maximum number of lines that stay, including the line about the rest."
    }
  },
  "additionalProperties": false
}`

// Set by Configure. Each document gets a fresh instance, so values that Apply sets do not reach the next call. The
// package session of the contract stores values for later calls.
type keepLines struct {
	maxLines int
}

func init() {
	plugin.Register(&keepLines{defaultLines})
}

// A plugin has no main function of its own: Tamis calls the filter.
func main() {}

func (*keepLines) Describe() types.Description {
	return types.Description{
		Name:     "keep-lines",
		Version:  "0.1.0",
		Summary:  "keeps the first lines of a long text",
		Settings: settingsSchema,
		// The filter cuts content, so Tamis stores the original and tells the model how to read it.
		Fidelity:   types.FidelityPartial,
		Idempotent: true,
		Growth:     types.GrowthNone,
		// Go's runtime starts once, not for every document.
		Snapshot: true,
	}
}

// The operator sees the error.
func (keep *keepLines) Configure(settings string) (filter.Configured, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(settings), &given); err != nil {
		return filter.Configured{}, err
	}
	for key, value := range given {
		if key != "max-lines" {
			return filter.Configured{}, fmt.Errorf("unknown key `%s`, expected `max-lines`", key)
		}
		if err := json.Unmarshal(value, &keep.maxLines); err != nil || keep.maxLines < 2 {
			return filter.Configured{}, fmt.Errorf("`max-lines` is %s: a number from 2 on is allowed, one line of it for what is left out", value)
		}
	}
	return filter.Configured{Fidelity: types.FidelityPartial}, nil
}

func (keep *keepLines) Apply() (types.Verdict, error) {
	if document.Kind() != document.DocumentKindText {
		return types.MakeVerdictUnchanged(), nil
	}
	whole := document.Text()
	total := strings.Count(whole, "\n")
	// The last line may have no line break.
	if whole != "" && !strings.HasSuffix(whole, "\n") {
		total++
	}
	if total <= keep.maxLines {
		return types.MakeVerdictUnchanged(), nil
	}
	kept := keep.maxLines - 1
	lines := strings.SplitAfterN(whole, "\n", kept+1)
	shorter := strings.Join(lines[:kept], "") + fmt.Sprintf("[%d more lines]\n", total-kept)
	if len(shorter) >= len(whole) {
		return types.MakeVerdictUnchanged(), nil
	}
	return types.MakeVerdictRewritten(types.Rewrite{Kind: document.DocumentKindText, Text: shorter}), nil
}

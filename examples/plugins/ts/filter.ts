// `keep-lines`: keeps the first lines of a long text, and adds a line with the number of omitted ones.

import { kind, text } from "tamis:filter/document@0.1.0";
import type { Configured, Description, Verdict } from "tamis:filter/filter@0.1.0";
import { say } from "tamis:filter/panic@0.1.0";

const DEFAULT_LINES = 20;

// The settings, as JSON Schema.
const SETTINGS = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    "max-lines": {
      type: "integer",
      minimum: 2,
      default: DEFAULT_LINES,
      description: "Maximum number of lines that stay, including the line about the rest.",
    },
  },
  additionalProperties: false,
};

// Set by `configure`. Each document gets a fresh instance, so values that `apply` sets do not reach the next call. The
// interface `session` of the contract stores values for later calls.
let maxLines = DEFAULT_LINES;

function describe(): Description {
  return {
    name: "keep-lines",
    version: "0.1.0",
    summary: "keeps the first lines of a long text",
    settings: JSON.stringify(SETTINGS),
    // The filter cuts content, so Tamis stores the original and tells the model how to read it.
    fidelity: "partial",
    wants: [],
    idempotent: true,
    growth: "none",
    snapshot: false,
    more: [],
  };
}

// The operator sees the thrown error.
function configure(settings: string): Configured {
  const given: Record<string, unknown> = JSON.parse(settings);
  for (const key of Object.keys(given)) {
    if (!(key in SETTINGS.properties)) throw `unknown key \`${key}\`, expected \`max-lines\``;
  }
  const lines = given["max-lines"] ?? DEFAULT_LINES;
  if (typeof lines !== "number" || !Number.isInteger(lines) || lines < 2) {
    throw `\`max-lines\` is ${JSON.stringify(lines)}: a number from 2 on is allowed, one line of it for what is left out`;
  }
  maxLines = lines;
  return { triggers: [], fidelity: "partial", legend: "", more: [] };
}

function apply(): Verdict {
  if (kind() !== "text") return { tag: "unchanged" };
  const whole = text();
  const lines = whole.split("\n");
  // No line follows the last line break.
  const total = lines.length - (lines.at(-1) === "" ? 1 : 0);
  if (total <= maxLines) return { tag: "unchanged" };
  const kept = maxLines - 1;
  const shorter = `${lines.slice(0, kept).join("\n")}\n[${total - kept} more lines]\n`;
  if (shorter.length >= whole.length) return { tag: "unchanged" };
  return { tag: "rewritten", val: { kind: "text", text: shorter } };
}

// Reports the message and position of an unexpected error: the call then counts as crashed. A thrown string is a
// refusal, with a message for the operator.
function orSay<Given extends unknown[], Answer>(answer: (...given: Given) => Answer): (...given: Given) => Answer {
  return (...given) => {
    try {
      return answer(...given);
    } catch (error) {
      if (error instanceof Error) say(`${error.name}: ${error.message}\n${error.stack}`);
      throw error;
    }
  };
}

export const filter: typeof import("tamis:filter/filter@0.1.0") = {
  describe,
  configure: orSay(configure),
  apply: orSay(apply),
};

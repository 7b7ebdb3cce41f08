/// <reference path="./tamis-filter-document.d.ts" />
declare module 'tamis:filter/types@0.1.0' {
  export type DocumentKind = import('tamis:filter/document@0.1.0').DocumentKind;
  /**
   * How much of a document survives this filter. Closed: everything, everything with a meaning, or less.
   * # Variants
   *
   * ## `"exact"`
   *
   * A documented decoding restores the same JSON value, or the same text.
   * ## `"equivalent"`
   *
   * The filter removes only nulls, empty values or insignificant bytes.
   * ## `"partial"`
   *
   * The filter cuts content.
   */
  export type Fidelity = 'exact' | 'equivalent' | 'partial';
  /**
   * Whether a filter may make a document larger. Closed: never, until a later step, or for good.
   * # Variants
   *
   * ## `"none"`
   *
   * Never: if a document did not become smaller, the host discards the change.
   * ## `"interim"`
   *
   * Until a later step makes it smaller: if none does, the host discards the change.
   * ## `"lasting"`
   *
   * On purpose: the filter adds information.
   */
  export type Growth = 'none' | 'interim' | 'lasting';
  /**
   * A member that a later version of the contract adds to a record, by name, with its value. The host refuses a plugin
   * with an unknown member, which might be a promise to enforce or a permission to grant. Version 0.1.0 knows no
   * members, so the list is empty.
   */
  export type Member = [string, string];
  /**
   * The description of a plugin. Closed, except for `more`.
   */
  export interface Description {
    /**
     * Name of the filter: lower case, digits and hyphens.
     */
    name: string,
    /**
     * Version of the filter, such as `1.2.0`.
     */
    version: string,
    /**
     * What the filter does, in one line.
     */
    summary: string,
    /**
     * A JSON Schema (draft 2020-12) of the object that `configure` takes.
     */
    settings: string,
    /**
     * The lowest fidelity with any settings.
     */
    fidelity: Fidelity,
    /**
     * Names of the imports that the operator must grant (`allow` in filters.toml): `log`, `tokens`, `result-meta`,
     * `original`, `session`. A later version may have more names. The host refuses a plugin with an unknown name.
     */
    wants: Array<string>,
    /**
     * True if filtering twice always equals filtering once.
     */
    idempotent: boolean,
    /**
     * Whether a document may become larger.
     */
    growth: Growth,
    /**
     * True if `configure` does work that is worth a snapshot. The host then calls `configure` once, at load, and
     * starts every call with the resulting memory. So `configure` must depend on the settings alone and must call no
     * import. If it does otherwise, or no snapshot can be taken, the host calls `configure` in each instance.
     */
    snapshot: boolean,
    /**
     * Members of later versions.
     */
    more: Array<Member>,
  }
  /**
   * Changes to a JSON document. The host makes them. Every byte outside of the edits stays unchanged.
   *
   * An edit is four `u32` words: operation, node, start, end. `start` and `end` name a part of `text`, the edit's
   * operand; they are 0 for `remove`.
   *
   * | operation | node | operand |
   * |---|---|---|
   * | 0 `remove` | a key (removes its member, key and value) or an element of an array | none |
   * | 1 `replace` | any value, the root included | one JSON value |
   * | 2 `rename` | a key | one JSON string |
   * | 3 `append` | an array or an object | one or more elements or members, separated by commas: `1,2` or `"a":1` |
   *
   * Edits may come in any order; several appends to one container keep their order. These are errors: two edits of one
   * node, an edit inside a removed or replaced node, and an operand of invalid JSON. After an error, nothing is
   * changed.
   *
   * Closed: operations are numbers, so a later version may have more.
   */
  export interface Edits {
    operations: Uint32Array,
    text: string,
  }
  /**
   * Changes to any document's text.
   *
   * A splice is four `u32` words: start and end of the bytes to replace in the document, start and end of their
   * replacement in `text`. All offsets are on character boundaries. Splices may come in any order. Overlapping splices
   * are an error. A JSON document becomes text if splices make it invalid. Closed: a range has no other properties.
   */
  export interface Splices {
    ranges: Uint32Array,
    text: string,
  }
  /**
   * A whole new document. Closed, as `document-kind` is.
   */
  export interface Rewrite {
    /**
     * For `json`, `text` must be valid JSON; for `text`, it may be anything.
     */
    kind: DocumentKind,
    text: string,
  }
  /**
   * The answer about the document. Closed: the text stays, or changes by nodes, by ranges, or as a whole. Everything
   * else that a call may do is an import, such as `result-meta` and `session`.
   */
  export type Verdict = VerdictUnchanged | VerdictEdited | VerdictSpliced | VerdictRewritten;
  /**
   * The document stays unchanged.
   */
  export interface VerdictUnchanged {
    tag: 'unchanged',
  }
  export interface VerdictEdited {
    tag: 'edited',
    val: Edits,
  }
  export interface VerdictSpliced {
    tag: 'spliced',
    val: Splices,
  }
  export interface VerdictRewritten {
    tag: 'rewritten',
    val: Rewrite,
  }
}

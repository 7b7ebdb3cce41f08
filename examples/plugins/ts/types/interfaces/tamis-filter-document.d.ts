declare module 'tamis:filter/document@0.1.0' {
  /**
   * Whether this document is JSON or text.
   */
  export function kind(): DocumentKind;
  /**
   * Length of the text, in bytes.
   */
  export function len(): number;
  /**
   * The whole text. If a filter needs only a part, use `slice`.
   */
  export function text(): string;
  /**
   * The bytes from `start` up to `end`. An offset past the end, or inside a character, moves back to the nearest
   * character boundary. `start > end` gives the empty string.
   */
  export function slice(start: number, end: number): string;
  /**
   * The index of the JSON, as described above; empty for text.
   */
  export function tape(): Uint32Array;
  /**
   * Closed: a document has a tape or none. A document in another language than JSON is a text, and a fact of `call`
   * names its language. A tape for it would be a function of its own.
   * # Variants
   *
   * ## `"json"`
   *
   * Valid JSON: `tape` describes it.
   * ## `"text"`
   *
   * Any other document.
   */
  export type DocumentKind = 'json' | 'text';
}

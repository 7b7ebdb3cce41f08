/// <reference path="./tamis-filter-types.d.ts" />
declare module 'tamis:filter/filter@0.1.0' {
  /**
   * Describes this plugin. Must not depend on anything.
   */
  export function describe(): Description;
  /**
   * Takes the settings, a JSON object (`{}` without settings). Called at load, to check them, and once in each fresh
   * instance unless a snapshot exists. An error is for the operator: it names the key, the value found and the allowed
   * values.
   */
  export function configure(settings: string): Configured;
  /**
   * Filters the document of `document`. `call` tells its source.
   */
  export function apply(): Verdict;
  export type Description = import('tamis:filter/types@0.1.0').Description;
  export type Fidelity = import('tamis:filter/types@0.1.0').Fidelity;
  export type Member = import('tamis:filter/types@0.1.0').Member;
  export type Verdict = import('tamis:filter/types@0.1.0').Verdict;
  /**
   * The filter with its settings. Closed, except for `more`.
   */
  export interface Configured {
    /**
     * Literals of which at least one occurs in the text of every document that this filter changes. If a document has
     * none of them, the host skips the call. Empty: the host always calls. The host compares bytes, so an escaped
     * spelling is another literal.
     */
    triggers: Array<string>,
    /**
     * How much of a document survives with these settings.
     */
    fidelity: Fidelity,
    /**
     * How a model reads the filter's output, in a sentence of at most 60 tokens. The host sends it once a session,
     * with the first result that the filter changed. It does not send it if that result is JSON of the same value
     * (`exact`). Empty: no legend.
     */
    legend: string,
    /**
     * Other members, by name:
     *
     * | name | value |
     * |---|---|
     * | `least-bytes` | a number of bytes, in decimal digits: the filter changes no document whose text is shorter, so the host skips the call. Default: 0 |
     *
     * A later version may have more names. The host refuses a plugin with an unknown name.
     */
    more: Array<Member>,
  }
  /**
   * Why a filter failed: for the operator, in one line.
   */
  export type FilterError = string;
}

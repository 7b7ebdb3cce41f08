declare module 'tamis:filter/tokens@0.1.0' {
  /**
   * Number of o200k_base tokens of a text of at most 65536 bytes. A longer text ends the call as a failure. If you cut
   * a text at ends of words, the counts of the parts add up to about the count of the whole.
   */
  export function count(text: string): number;
}

declare module 'tamis:filter/log@0.1.0' {
  /**
   * Writes one message. A message with line breaks takes several lines.
   */
  export function log(level: Level, message: string): void;
  /**
   * Closed: the operator's log has these levels.
   * # Variants
   *
   * ## `"error"`
   *
   * ## `"warn"`
   *
   * ## `"info"`
   *
   * ## `"debug"`
   */
  export type Level = 'error' | 'warn' | 'info' | 'debug';
}

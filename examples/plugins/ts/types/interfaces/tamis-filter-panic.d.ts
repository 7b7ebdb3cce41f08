declare module 'tamis:filter/panic@0.1.0' {
  /**
   * The cause, and its position in the source, for the error that the operator and the author see. Tamis shows at most
   * 1024 bytes.
   */
  export function say(message: string): void;
}

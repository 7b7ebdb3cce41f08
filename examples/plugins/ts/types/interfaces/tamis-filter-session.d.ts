declare module 'tamis:filter/session@0.1.0' {
  /**
   * The value of this key; none if it has no value.
   */
  export function get(key: string): string | undefined;
  /**
   * Sets a value: a key of 1 to 64 bytes, a value of at most 1024, at most 64 keys in a session. An empty value
   * removes the key. An error names the exceeded limit; nothing is set then.
   */
  export function set(key: string, value: string): void;
}

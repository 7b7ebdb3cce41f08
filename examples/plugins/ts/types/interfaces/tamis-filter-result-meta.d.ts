declare module 'tamis:filter/result-meta@0.1.0' {
  /**
   * Sets one member of the result's `_meta`, after the host accepts this filter's verdict. `key` has the form that MCP
   * requires, with a reverse-DNS prefix (`com.example/count`); `value` is JSON. Keys that upstream sent stay
   * unchanged. On a surface without a result, the call has no effect.
   */
  export function set(key: string, value: string): void;
}

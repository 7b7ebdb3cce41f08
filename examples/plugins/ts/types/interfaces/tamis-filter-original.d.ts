declare module 'tamis:filter/original@0.1.0' {
  /**
   * Stores the original. `prefix`: lower-case letters, digits, `-` and `_`, at most 64 bytes; may be empty. None if no
   * originals are stored: in a chain that redacts (`on-error = "block"`), and on a surface without a result. If the
   * host cannot store the original, the call ends here, and the document stays unchanged.
   */
  export function keep(prefix: string): Kept | undefined;
  /**
   * The names of a stored original. The same result always has the same names. Closed: a later version adds facts as
   * functions of the reference.
   */
  export interface Kept {
    /**
     * Its reference. The host adds no note to a document that contains the reference.
     */
    reference: string,
    /**
     * The call that reads the original of this document, on one line: `tamis_read {"ref":"…"}`. If the result has
     * other documents, the call names this one: `tamis_read {"ref":"…","part":"content[2]"}`. A filter may add
     * arguments to the call.
     */
    call: string,
    /**
     * Absolute path of the file with the original, for readers on the same machine. Its name begins with the requested
     * prefix. None if no file on this machine has the original.
     */
    path?: string,
  }
}

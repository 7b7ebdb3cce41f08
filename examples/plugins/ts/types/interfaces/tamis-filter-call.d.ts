/// <reference path="./tamis-filter-document.d.ts" />
declare module 'tamis:filter/call@0.1.0' {
  /**
   * Name of the upstream server, as the operator gave it.
   */
  export function server(): string;
  /**
   * Name of the tool, prompt or resource; empty for instructions.
   */
  export function tool(): string;
  /**
   * The source of the document, by name:
   *
   * | name | the document is |
   * |---|---|
   * | `result` | the result of a tool call |
   * | `instructions` | the server's own instructions to the model |
   * | `description` | a tool's description in the tool list |
   * | `prompt` | a prompt's message |
   * | `resource` | the contents of a resource |
   * | `history` | a past tool result in a chat transcript |
   * | `arguments` | the arguments of a call, before the server gets them; if a filter would change them, Tamis does not send the call |
   * | `message` | a whole message of the server, before all other chains (`on = ["*"]`) |
   *
   * A later version may have more names. A filter treats a document of an unknown surface as plain text.
   */
  export function surface(): string;
  /**
   * The part of a result that the document is, by name:
   *
   * | name | the document is |
   * |---|---|
   * | `content` | a text block of `content` |
   * | `structured-content` | `structuredContent` |
   * | `whole` | the only document: the text blocks of a result as one list, or anything but the result of a tool call |
   *
   * A later version may have more names.
   */
  export function part(): string;
  /**
   * Index of the block in `content`, from 0; 0 for other parts.
   */
  export function index(): number;
  /**
   * True if the server marked the result as an error.
   */
  export function isError(): boolean;
  /**
   * The kind of the document when upstream sent it: an earlier step may have made JSON of a text, or text of JSON.
   * Only a document that upstream sent as JSON can be read by JSON path.
   */
  export function sentAs(): DocumentKind;
  /**
   * The call's arguments, a JSON object; `{}` if the call has none.
   */
  export function arguments(): string;
  export type DocumentKind = import('tamis:filter/document@0.1.0').DocumentKind;
}

// Prints the text in a WIT package: unpack.mjs NAME FILE. Needs the tools of tests/setup.sh.
import { readFileSync } from "node:fs";
import { unpackWit } from "../../../tests/node_modules/@bytecodealliance/jco-transpile/dist/index.js";

const [name, file] = process.argv.slice(2);
for (const [, text] of await unpackWit(name, readFileSync(file))) console.log(text);

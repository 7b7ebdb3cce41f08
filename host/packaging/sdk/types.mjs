// Writes the contract in TypeScript: types.mjs FILTER.WIT FOLDER. Needs the tools of tests/setup.sh.
//
// The command `jco guest-types` makes the same. It reads through a sandbox, in which its last releases find no file, so
// the text is passed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { $init, generateTypes } from "../../../tests/node_modules/@bytecodealliance/jco-transpile/vendor/js-component-bindgen-component.js";

const [contract, folder] = process.argv.slice(2);
await $init;
const files = generateTypes("plugin", {
  wit: { tag: "source", val: readFileSync(contract, "utf8") },
  world: "plugin",
  features: { tag: "list", val: [] },
  guest: true,
  tlaCompat: false,
  flagsAsBigint: false,
  variantsInlineCases: false,
  useNamespaceObjects: false,
  enumValuesScreamingSnakeCase: false,
});
for (const [name, bytes] of files) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  // The generator leaves spaces at ends of lines.
  writeFileSync(path, Buffer.from(bytes).toString().replace(/ +$/gm, ""));
}

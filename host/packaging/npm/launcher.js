#!/usr/bin/env node
// Starts the program from the package of this platform, which npm installed beside this one.
"use strict";

const { spawn } = require("child_process");
const { command, platforms } = require("./platforms.json");

/** Whether this system has glibc; on others than Linux it does not matter. */
function libc() {
  if (process.platform !== "linux") return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
}

function fail(message) {
  console.error(`${command}: ${message}`);
  process.exit(2);
}

function program() {
  const fits = (row) =>
    row.os === process.platform && row.cpu === process.arch && (row.libc === undefined || row.libc === libc());
  const row = platforms.find(fits);
  if (row === undefined) {
    const known = platforms.map((row) => [row.os, row.cpu, row.libc].filter(Boolean).join(" ")).join(", ");
    fail(
      `no package for ${process.platform} ${process.arch}${libc() ? ` ${libc()}` : ""}: packages exist for ${known}. ` +
        "Build it from source with `cargo install`.",
    );
  }
  const file = `bin/${command}${process.platform === "win32" ? ".exe" : ""}`;
  try {
    return require.resolve(`${row.package}/${file}`);
  } catch {
    return fail(
      `the package ${row.package} is not installed: install again without \`--omit=optional\` (\`--no-optional\`), ` +
        "and on this system: a copied node_modules has the packages of the other system.",
    );
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// The program ends by its own rules; this process waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"]) {
  try {
    process.on(signal, () => child.kill(signal));
  } catch {
    // This system has no such signal.
  }
}
child.on("error", (error) => fail(`cannot start: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

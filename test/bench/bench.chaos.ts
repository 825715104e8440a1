import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";

const ROOT = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A small run of each script: every kind of case once, with this checkout beside itself. */
const SCRIPTS: Record<string, { only: string; cases: string[]; contenders: string[] }> = {
  calls: {
    only: "64 connections",
    cases: ["hash, 64 connections, 1 account", "markdown-render, 64 connections, 3 accounts"],
    contenders: ["toolbooth", "beside", "bare node:http", "Express"],
  },
  ledger: {
    only: "",
    cases: ["SQLite, 1 account", "PostgreSQL, 3 accounts", "Durable Objects, 3 accounts"],
    contenders: ["toolbooth", "beside"],
  },
  engines: {
    only: "1",
    cases: ["Markdown, 1 KB", "QR modules, 1 KB", "QR PNG of 1024 px, URL"],
    contenders: [
      "toolbooth",
      "beside",
      "md4w",
      "md4x+sanitize-html",
      "marked+DOMPurify",
      "markdown-it",
      "node-qrcode",
    ],
  },
  edge: {
    only: "hash",
    cases: ["hash, 1 connection", "hash, 10 connections", "API Worker"],
    contenders: ["toolbooth", "beside", "bare Worker"],
  },
};

const skip = existsSync("/proc/self/stat") ? false : "the benchmarks read CPU times from /proc";

describe("the benchmarks", { skip }, () => {
  for (const [script, { only, cases, contenders }] of Object.entries(SCRIPTS)) {
    it(`print a table: ${script}`, async () => {
      const size = ["--rounds", "1", "--seconds", "0.1", "--accounts", "3", "--only", only];
      const { stdout } = await run(
        process.execPath,
        ["bench/main.ts", script, "--beside", ROOT, ...size],
        { cwd: ROOT },
      );
      const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
      for (const name of cases)
        assert.ok(
          lines.some(([cell]) => cell === name),
          name + stdout,
        );
      for (const name of contenders) {
        const own = lines.filter(([, cell]) => cell === name);
        assert.ok(own.length > 0, `${name} is missing:\n${stdout}`);
        for (const [, , ...cells] of own)
          assert.ok(cells.length > 0 && cells.every((cell) => /^[\d.–]/.test(cell)), cells.join());
      }
    });
  }
});

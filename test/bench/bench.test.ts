import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { type Column, linesOf, medianOf, percentile } from "../../bench/report.ts";

/** The benchmarks still run, in a small size. `TEST_BENCH=all`: every kind of case once, with this checkout beside itself. */
const ROOT = path.join(import.meta.dirname, "../..");
const skip = existsSync("/proc/self/stat") ? false : "the benchmarks read CPU times from /proc";

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ["bench/main.ts", ...args], { cwd: ROOT });

const isAll = process.env["TEST_BENCH"] === "all";

/** `cases`: titles that the table has. */
type Script = { only: string; cases: string[]; contenders: string[] };
const SCRIPTS: Record<string, Script> = isAll
  ? {
      calls: {
        only: "64 connections",
        cases: ["hash, 64 connections, 1 account", "markdown-render, 64 connections, 2 accounts"],
        contenders: ["toolbooth", "beside", "bare node:http", "Express"],
      },
      ledger: {
        only: "",
        cases: ["SQLite, 1 account", "PostgreSQL, 2 accounts", "Durable Objects, 2 accounts"],
        contenders: ["toolbooth", "beside"],
      },
      engines: {
        only: "1",
        cases: ["Markdown, 1 KB", "QR modules, 1 KB", "QR PNG of 1024 px, URL"],
        contenders: [
          ...["toolbooth", "beside", "md4w", "md4x", "md4x+sanitize-html", "marked"],
          ...["marked+DOMPurify", "markdown-it", "node-qrcode"],
        ],
      },
      edge: {
        only: "hash",
        cases: ["hash, 1 connection", "hash, 10 connections", "API Worker"],
        contenders: ["toolbooth", "beside", "bare Worker"],
      },
    }
  : {
      calls: {
        only: "hash, 1 connection, 1 account",
        cases: ["hash, 1 connection, 1 account"],
        contenders: ["toolbooth", "bare node:http", "Express"],
      },
      ledger: { only: "SQLite", cases: ["SQLite, 2 accounts"], contenders: ["toolbooth"] },
      engines: {
        only: "QR modules, 1 KB",
        cases: ["QR modules, 1 KB"],
        contenders: ["toolbooth", "node-qrcode"],
      },
    };

for (const [script, { only, cases, contenders }] of Object.entries(SCRIPTS)) {
  test(`a round of ${script} prints a table with every contender`, { skip }, async () => {
    const size = ["--rounds", "1", "--seconds", isAll ? "0.1" : "0.02", "--accounts", "2"];
    const beside = isAll ? ["--beside", ROOT] : [];
    const { stdout } = await run(script, "--only", only, ...size, ...beside);
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
    for (const name of cases)
      assert.ok(
        lines.some(([title]) => title === name),
        `${name} is missing:\n${stdout}`,
      );
    for (const name of contenders) {
      const own = lines.filter(([, cell]) => cell === name);
      assert.ok(own.length > 0, `${name} is missing:\n${stdout}`);
      for (const [, , ...cells] of own)
        assert.ok(cells.length > 0 && cells.every((cell) => /^[\d.–]/.test(cell)), cells.join());
    }
  });
}

test("an unknown script or size prints the usage", async () => {
  for (const args of [["none"], ["calls", "--rounds", "x"]])
    await assert.rejects(run(...args), (error: { code?: number; stdout?: string }) => {
      assert.equal(error.code, 2);
      assert.match(error.stdout ?? "", /^npm run bench -- calls\|ledger\|engines\|edge/);
      return true;
    });
});

test("a line has the median of the rounds and its ratio within each round; without CPU time a dash", () => {
  const columns: Column[] = [{ key: "cpu", title: "CPU", digits: 1, ratio: true }];
  const samples = new Map([
    ["toolbooth", [{ cpu: 2 }, { cpu: 4 }, { cpu: 9 }]],
    ["other", [{ cpu: 4 }, { cpu: 4 }, { cpu: 3 }]],
    ["idle", [{ cpu: 0 }, { cpu: 0 }, { cpu: 0 }]],
  ]);
  assert.deepEqual(linesOf("hash", samples, columns, "median"), [
    ["hash", "toolbooth", "4.0", ""],
    ["hash", "other", "4.0", "1.00 (0.50–3.00)"],
    ["hash", "idle", "0.0", "– (–––)"],
  ]);
  assert.deepEqual(linesOf("hash", samples, columns, "minimum")[1], [
    "hash",
    "other",
    "3.0",
    "0.67",
  ]);
  assert.deepEqual([medianOf([3, 1, 2, 4]), percentile([1, 2, 3, 4], 99)], [2.5, 4]);
});

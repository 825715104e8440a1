import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { parse } from "acorn";

/** The rules of ARCHITECTURE.md as tests: which folder may import which, and what may depend on a runtime. */
const ROOT = path.join(import.meta.dirname, "..");

/** What everything may import. */
const BASE = [
  ...[
    "brand",
    "command-line",
    "counted",
    "crc32",
    "errors",
    "hosts",
    "ids",
    "issue-text",
    "limits",
    "networks",
    "seal",
    "top-up",
  ],
];

/** A part is a folder of src/ or a file beside them. The parts that it may import, types included, besides itself. */
const ALLOWED_IMPORTS: Record<string, readonly string[]> = {
  "command-line": [],
  counted: [],
  crc32: [],
  errors: [],
  hosts: ["networks"],
  ids: [],
  "issue-text": [],
  limits: [],
  networks: [],
  "node-thread": [],
  seal: [],
  "top-up": [],
  brand: [],
  config: [...BASE, "email", "tools"],
  tools: BASE,
  ledger: BASE,
  jobs: [...BASE, "ledger"],
  email: [...BASE, "jobs"],
  accounts: [...BASE, "ledger", "email"],
  billing: [...BASE, "ledger"],
  events: [...BASE, "jobs", "ledger", "accounts", "email"],
  operator: [...BASE, "jobs", "ledger", "accounts", "billing"],
  calls: [...BASE, "tools", "ledger", "accounts"],
  api: [...BASE, "tools", "ledger", "email", "accounts", "billing", "events", "operator", "calls"],
  site: [
    ...[...BASE, "tools", "ledger", "email", "accounts", "billing", "events", "operator", "calls"],
    "api",
  ],
  stores: [
    ...[...BASE, "jobs", "ledger", "accounts", "billing", "events", "operator", "email"],
    "node-thread",
  ],
  service: [
    ...[...BASE, "config", "tools", "ledger", "jobs", "email", "accounts", "billing", "events"],
    ...["operator", "calls", "api", "site"],
  ],
  toolbooth: ["tools"],
  apps: [
    ...[...BASE, "config", "tools", "ledger", "jobs", "email", "accounts", "billing", "events"],
    ...["operator", "calls", "api", "site", "service", "stores", "node-thread"],
  ],
};

/** Files that may import `node:`: their name or their folder says that they are Node's. */
const NODE_FILES = [
  /^src\/apps\/(?:node|cli|create)\//,
  /^src\/node-/,
  /^src\/stores\/sqlite\/(?:node|thread|backup)/,
  /^src\/(?:email|events|jobs)\/node-/,
];
/** Files that may import `cloudflare:`, for the same reason. */
const EDGE_FILES = [/^src\/stores\/durable-object/, /^src\/apps\/edge\//];
/** Parts that get time, random bytes and digests handed in: the same input gives the same output. */
const PURE_PARTS = [
  "command-line",
  "counted",
  "crc32",
  "errors",
  "hosts",
  "ids",
  "issue-text",
  "limits",
  "networks",
  "top-up",
  "tools",
  "ledger",
  "accounts",
  "operator",
];
const IMPURE =
  /\b(?:Date\.now\(|new Date\(\)|Math\.random|performance\.|setTimeout\(|fetch\(|process\.|crypto\.|globalThis)/;
/** It ends a request to a service at the tool's time limit, and the tool's thread or isolate has no other clock for that. */
const MAY_SET_A_TIMER = "src/tools/forward.ts";

/** What reads, rejects and describes a call: the browser tools produce the same bytes. */
const PAGES_MAY_IMPORT = [
  ...[
    "src/errors.ts",
    "src/limits.ts",
    "src/calls/body.ts",
    "src/calls/read-input.ts",
    "src/calls/problem.ts",
    "src/api/openapi/schemas.ts",
    "src/api/openapi/tool-description.ts",
  ],
  // Numbers are the same in emails, on pages and on the command line.
  "src/counted.ts",
  // The name of the service in code samples.
  "src/brand.ts",
  // The code samples that users copy: the documentation and the dashboard share them.
  "src/site/request-code.ts",
  // The cause and the cure of each error: the documentation and the request log share them.
  "src/site/docs/error-texts.ts",
  // The icons and the picture of all pages.
  ...["src/site/icons.ts", "src/site/gate.ts"],
  // The names of browsers, the same in emails and in lists.
  "src/accounts/browser-name.ts",
  // Colours and links that the server and the pages of React have in common.
  ...["src/site/tokens.ts", "src/site/member-links.ts"],
  // The names of the fonts and images of every page.
  "src/site/site-files.ts",
  // What is sold, and how to get it.
  "src/top-up.ts",
  "src/site/offer-text.ts",
  "src/site/pack-plan.ts",
  // A form of the dashboard checks networks before it sends them.
  "src/networks.ts",
];

const sources = filesBelow("src");
const pages = filesBelow("web");
const everything = [...sources, ...pages, ...filesBelow("test"), ...filesBelow("bench")];

test("a part imports only the parts that it may import, types included", () => {
  for (const file of sources) {
    const part = partOf(file);
    const open = ALLOWED_IMPORTS[part];
    assert.ok(open, `${file}: ${part} has no row in ALLOWED_IMPORTS`);
    for (const target of importsOf(file)) {
      const other = inside(file, target);
      if (!other?.startsWith("src/") || partOf(other) === part) continue;
      assert.ok(open.includes(partOf(other)), `${file} may not import ${target}`);
    }
  }
});

test("every internal import names an existing file", () => {
  for (const file of everything) {
    for (const target of importsOf(file)) {
      const other = inside(file, target);
      if (other !== undefined) assert.ok(existsSync(path.join(ROOT, other)), `${file}: ${target}`);
    }
  }
});

test("web/ imports tools, and of the API only types and the code that reads and writes calls", () => {
  for (const file of pages) {
    const values = valueImportsOf(file);
    for (const target of importsOf(file)) {
      const other = inside(file, target);
      if (!other?.startsWith("src/")) continue;
      const isOpen = partOf(other) === "tools" || PAGES_MAY_IMPORT.includes(other);
      const isTypeOfApi =
        ["calls", "api", "site"].includes(partOf(other)) && !values.includes(target);
      assert.ok(isOpen || isTypeOfApi, `${file} may not import ${target}`);
    }
  }
});

test("no import cycles, types included", () => {
  const graph = new Map(
    sources.map((file) => [file, importsOf(file).flatMap((target) => inside(file, target) ?? [])]),
  );
  const done = new Set<string>();
  const context = (file: string, trail: string[]) => {
    assert.ok(!trail.includes(file), `cycle: ${[...trail, file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) context(next, [...trail, file]);
    done.add(file);
  };
  for (const file of sources) context(file, []);
});

/** It loads the files of the operator. */
const LOADS_OWN_TOOLS = "src/apps/node/own-tool-thread.ts";

test("only files of Node import node:, only those of the edge cloudflare:, and no import hides what it names", () => {
  for (const file of sources) {
    const text = read(file);
    if (file !== LOADS_OWN_TOOLS)
      assert.doesNotMatch(text, /\bimport\((?!")/, `${file}: import() must name a file`);
    const isOf = (patterns: RegExp[]) => patterns.some((pattern) => pattern.test(file));
    for (const target of importsOf(file)) {
      if (target.startsWith("node:"))
        assert.ok(isOf(NODE_FILES), `${file} may not import ${target}`);
      if (target.startsWith("cloudflare:"))
        assert.ok(isOf(EDGE_FILES), `${file} may not import ${target}`);
    }
  }
});

test("pure parts use no clock, no randomness and no network", () => {
  for (const file of sources.filter((name) => PURE_PARTS.includes(partOf(name)))) {
    const impure =
      file === MAY_SET_A_TIMER ? new RegExp(IMPURE.source.replace("setTimeout\\(|", "")) : IMPURE;
    assert.ok(!codeMatches(file, impure), `${file} takes something from its runtime`);
  }
});

test("calls, the API, the site and the composition get time, random bytes and digests from their context", () => {
  const impure = /\b(?:Date\.now\(|new Date\(\)|Math\.random|performance\.|crypto\.)/;
  const parts = ["calls", "api", "site", "service"];
  for (const file of sources.filter((name) => parts.includes(partOf(name)))) {
    assert.ok(!codeMatches(file, impure), `${file} takes something from its runtime`);
  }
});

test("SQL is written in stores/ only", () => {
  const sql = /\bSELECT\s[^;]+?\sFROM\s|\bINSERT\s+INTO\s|\bUPDATE\s+\w+\s+SET\s|\bDELETE\s+FROM\s/;
  for (const file of sources.filter((name) => partOf(name) !== "stores")) {
    assert.ok(!codeMatches(file, sql), file);
  }
});

/** Who may open a SQLite file for writing, and why that is not beside the ledger's thread. */
const MAY_OPEN_FOR_WRITING: Record<string, string> = {
  "src/stores/sqlite/thread-worker.ts": "the ledger's thread",
  "src/apps/node/data-folder.ts": "a start, before the thread",
  "src/apps/node/request-log.ts": "the file of the request log",
  "src/apps/node/reversals.ts": "the file of the reversals",
  "src/stores/sqlite/backup.ts": "inspects a file that no server uses",
  "src/apps/cli/restore.ts": "restores offline",
};
/** The start. */
const MAY_OPEN_DATA_FOLDER = ["src/apps/node/data-folder.ts", "src/apps/node/store.ts"];

test("only the ledger's thread, a start and offline commands open the ledger's file for writing", () => {
  for (const file of sources) {
    if (file === "src/stores/sqlite/node.ts") continue;
    if (/\bopenNodeSqlite\(/.test(read(file)))
      assert.ok(Object.hasOwn(MAY_OPEN_FOR_WRITING, file), `${file} opens a database for writing`);
    if (/\bopenDataFolder\(/.test(read(file)))
      assert.ok(MAY_OPEN_DATA_FOLDER.includes(file), `${file} opens the data folder for writing`);
  }
});

test("no file has a name without meaning", () => {
  const empty = /(?:^|[-/])(?:utils?|helpers?|common|misc|manager|service|v2)(?:[-.]|$)/;
  for (const file of everything) assert.doesNotMatch(file, empty);
});

function filesBelow(folder: string): string[] {
  const full = path.join(ROOT, folder);
  if (!existsSync(full)) return [];
  return readdirSync(full, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

const texts = new Map<string, string>();

/** Reads each file once. */
function read(file: string): string {
  const text = texts.get(file) ?? readFileSync(path.join(ROOT, file), "utf8");
  texts.set(file, text);
  return text;
}

/** `src/api/app.ts` is in the part `api`; `src/errors.ts` is a part by itself. */
const partOf = (file: string) => (file.split("/")[1] as string).replace(/\.ts$/, "");

const IMPORT = /^(?:import|export)\s(?:[^;"]*?\sfrom\s)?"([^"]+)"/gm;

const LATE_IMPORT = /\bimport\("([^"]+)"/g;

const importsOf = (file: string) =>
  [IMPORT, LATE_IMPORT].flatMap((pattern) =>
    [...read(file).matchAll(pattern)].map((match) => match[1] as string),
  );

/** Imports of values. Types are gone at run time, and so is `import("…").Name`. */
const valueImportsOf = (file: string) =>
  [...read(file).matchAll(IMPORT), ...read(file).matchAll(/\bimport\("([^"]+)"\)(?!\.[A-Z])/g)]
    .filter((match) => !/^(?:import|export) type\b/.test(match[0]))
    .map((match) => match[1] as string);

/** Returns the file of this repository that an import names; undefined for a package. */
function inside(file: string, target: string): string | undefined {
  if (target.startsWith("#")) return `src/${target.slice(1)}`;
  // `?inline` tells Vite how to import a file.
  const [name = ""] = target.split("?");
  if (target.startsWith(".")) return path.posix.join(path.posix.dirname(file), name);
  return undefined;
}

/** Whether the code matches, comments and types aside. Only a file whose text matches is parsed. */
const codeMatches = (file: string, pattern: RegExp) =>
  pattern.test(read(file)) && pattern.test(codeOf(file));

/** The code without comments and types. */
function codeOf(file: string): string {
  const kept: string[] = [];
  const code = stripTypeScriptTypes(read(file));
  let end = 0;
  parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    onComment(_block, _text, start, stop) {
      kept.push(code.slice(end, start));
      end = stop;
    },
  });
  return kept.join("") + code.slice(end);
}

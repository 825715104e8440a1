import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { parse } from "acorn";
import { fullAncestor } from "acorn-walk";
import { transformSync } from "esbuild";

/** The rules of the house as a test: who may import whom, what may know its runtime, how long things may be. */
const ROOT = path.join(import.meta.dirname, "..");
const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 70;

/** A room is a folder of src/, or one of the files beside them. Whom a room may import, besides itself. */
const DOORS: Record<string, readonly string[]> = {
  errors: [],
  ids: [],
  limits: [],
  "read-settings": ["limits"],
  config: ["limits", "mail", "read-settings", "settings", "tools"],
  settings: ["limits"],
  tools: ["errors", "ids", "limits"],
  ledger: ["errors", "ids", "limits"],
  jobs: ["ledger", "errors", "ids", "limits"],
  mail: ["jobs", "errors", "ids", "limits"],
  accounts: ["ledger", "mail", "errors", "ids", "limits"],
  billing: ["ledger", "errors", "ids", "limits"],
  notices: ["jobs", "ledger", "accounts", "mail", "errors", "ids", "limits"],
  operator: ["jobs", "ledger", "accounts", "billing", "errors", "ids", "limits"],
  http: [
    "tools",
    "ledger",
    "accounts",
    "billing",
    "notices",
    "operator",
    "errors",
    "ids",
    "limits",
  ],
  stores: [
    "jobs",
    "ledger",
    "accounts",
    "billing",
    "notices",
    "operator",
    "mail",
    "errors",
    "ids",
    "limits",
  ],
  entry: [
    ...[
      "config",
      "jobs",
      "read-settings",
      "settings",
      "http",
      "stores",
      "tools",
      "ledger",
      "accounts",
      "billing",
      "notices",
      "operator",
      "mail",
    ],
    ...["errors", "ids", "limits"],
  ],
};

/** Files that may import `node:`: their name or their folder says that they are Node's. */
const NODE_FILES = [
  /^src\/entry\/(?:node|cli|data-folder)/,
  /^src\/stores\/sqlite\/(?:node|thread|backup)/,
  /^src\/(?:mail|notices|jobs)\/node-/,
];
/** Files that may import `cloudflare:`, for the same reason. */
const EDGE_FILES = [/^src\/stores\/durable-object/, /^src\/entry\/worker/];
/** Rooms that get time, random bytes and digests handed in: the same input gives the same output. */
const PURE_ROOMS = ["errors", "ids", "limits", "tools", "ledger", "accounts", "operator"];
const IMPURE =
  /\b(?:Date\.now\(|new Date\(\)|Math\.random|performance\.|setTimeout\(|fetch\(|process\.|crypto\.|globalThis)/;

/** What reads, refuses and describes a call: the browser tools answer in the very same bytes. */
const PAGES_MAY_IMPORT = [
  ...["src/errors.ts", "src/limits.ts", "src/http/body.ts", "src/http/parse-body.ts"],
  ...["src/http/reply.ts", "src/http/openapi-schemas.ts"],
  // The code that callers paste: the documentation and the pages write the same.
  "src/http/pages/request-code.ts",
  // And what is sold.
  "src/http/pages/offer-words.ts",
];

const sources = filesBelow("src");
const pages = filesBelow("web");
const everything = [...sources, ...pages, ...filesBelow("test"), ...filesBelow("bench")];

test("a room imports only the rooms whose door is open to it", () => {
  for (const file of sources) {
    const room = roomOf(file);
    const open = DOORS[room];
    assert.ok(open, `${file}: the room ${room} has no row in DOORS`);
    for (const target of importsOf(file)) {
      const other = inside(file, target);
      if (!other?.startsWith("src/") || roomOf(other) === room) continue;
      assert.ok(open.includes(roomOf(other)), `${file} may not import ${target}`);
    }
  }
});

test("every import inside the house names a file that is there", () => {
  for (const file of everything) {
    for (const target of importsOf(file)) {
      const other = inside(file, target);
      if (other !== undefined) assert.ok(existsSync(path.join(ROOT, other)), `${file}: ${target}`);
    }
  }
});

test("the pages import the tools and types of the hall, never the server", () => {
  for (const file of pages) {
    const values = valueImportsOf(file);
    for (const target of importsOf(file)) {
      const other = inside(file, target);
      if (!other?.startsWith("src/")) continue;
      const isOpen = roomOf(other) === "tools" || PAGES_MAY_IMPORT.includes(other);
      const isTypeOfHall = roomOf(other) === "http" && !values.includes(target);
      assert.ok(isOpen || isTypeOfHall, `${file} may not import ${target}`);
    }
  }
});

test("no import goes round in a circle", () => {
  const graph = new Map(
    sources.map((file) => [
      file,
      valueImportsOf(file).flatMap((target) => inside(file, target) ?? []),
    ]),
  );
  const done = new Set<string>();
  const visit = (file: string, trail: string[]) => {
    assert.ok(!trail.includes(file), `circle: ${[...trail, file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
});

test("only files of Node import node:, only those of the edge cloudflare:, and no import hides what it names", () => {
  for (const file of sources) {
    const text = read(file);
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

test("the pure rooms ask no clock, no chance and no network", () => {
  for (const file of sources.filter((name) => PURE_ROOMS.includes(roomOf(name)))) {
    const code = codeOf(file);
    assert.doesNotMatch(code, IMPURE, `${file} takes something from its runtime`);
  }
});

test("the hall asks the house for the time, for random bytes and for digests", () => {
  const impure = /\b(?:Date\.now\(|new Date\(\)|Math\.random|performance\.|crypto\.)/;
  for (const file of sources.filter((name) => roomOf(name) === "http")) {
    assert.doesNotMatch(codeOf(file), impure, `${file} takes something from its runtime`);
  }
});

test("SQL is written in the store alone", () => {
  const sql = /\bSELECT\s[^;]+?\sFROM\s|\bINSERT\s+INTO\s|\bUPDATE\s+\w+\s+SET\s|\bDELETE\s+FROM\s/;
  for (const file of sources.filter((name) => roomOf(name) !== "stores")) {
    assert.doesNotMatch(codeOf(file), sql, file);
  }
});

test(`a file has at most ${FILE_LINES_MAX} lines`, () => {
  for (const file of everything) {
    const lines = read(file).split("\n").length - 1;
    assert.ok(lines <= FILE_LINES_MAX, `${file} has ${lines} lines`);
  }
});

test(`a function has at most ${FUNCTION_LINES_MAX} lines of its own`, () => {
  for (const file of everything) {
    for (const { line, lines } of functionsOf(file)) {
      assert.ok(lines <= FUNCTION_LINES_MAX, `${file}:${line} has a function of ${lines} lines`);
    }
  }
});

test("no name says nothing", () => {
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

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

/** `src/http/app.ts` is in `http`; `src/errors.ts` is a room of its own. */
const roomOf = (file: string) => (file.split("/")[1] as string).replace(/\.ts$/, "");

const IMPORT = /^(?:import|export)\s(?:[^;"]*?\sfrom\s)?"([^"]+)"/gm;

const LATE_IMPORT = /\bimport\("([^"]+)"/g;

const importsOf = (file: string) =>
  [IMPORT, LATE_IMPORT].flatMap((pattern) =>
    [...read(file).matchAll(pattern)].map((match) => match[1] as string),
  );

/** Without types: those are gone at run time, so they close no circle. */
const valueImportsOf = (file: string) =>
  [...read(file).matchAll(IMPORT), ...codeOf(file).matchAll(LATE_IMPORT)]
    .filter((match) => !/^(?:import|export) type\b/.test(match[0]))
    .map((match) => match[1] as string);

/** The file in the house that an import names; undefined for a package. */
function inside(file: string, target: string): string | undefined {
  if (target.startsWith("#")) return `src/${target.slice(1)}`;
  if (target.startsWith(".")) return path.posix.join(path.posix.dirname(file), target);
  return undefined;
}

/** Lines stay where they are, but for markup, which is laid out anew: its functions count as they are written there. */
function scriptOf(file: string): string {
  const text = read(file);
  if (file.endsWith(".ts")) return stripTypeScriptTypes(text);
  return transformSync(text, { loader: "tsx", jsx: "transform" }).code;
}

/** The code without comments and types. */
function codeOf(file: string): string {
  const kept: string[] = [];
  const code = scriptOf(file);
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

/** Every function with the lines that are its own: those of functions inside it count for them. */
function functionsOf(file: string): { line: number; lines: number }[] {
  const code = scriptOf(file);
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const isFunction = (type: string) => /Function/.test(type);
  const found = new Map<object, { line: number; lines: number }>();
  const nested = new Map<object, number>();
  fullAncestor(tree, (node, _state, ancestors) => {
    // A node is met once for each name of its type.
    if (!isFunction(node.type) || found.has(node)) return;
    const { start, end } = node.loc as { start: { line: number }; end: { line: number } };
    const lines = end.line - start.line + 1;
    found.set(node, { line: start.line, lines });
    const outer = ancestors.slice(0, -1).findLast((ancestor) => isFunction(ancestor.type));
    if (outer !== undefined) nested.set(outer, (nested.get(outer) ?? 0) + lines);
  });
  return [...found].map(([node, { line, lines }]) => ({
    line,
    lines: lines - (nested.get(node) ?? 0),
  }));
}

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Which test files there are, and which of them are fast: derived from what they import, so that no list is kept by hand. */
const ROOT = path.join(import.meta.dirname, "../..");

/** What starts a process, a thread, a server or a browser; a file that imports one of these is not fast. */
const HEAVY = [
  "node:child_process",
  "node:worker_threads",
  "esbuild",
  "miniflare",
  "playwright-core",
  "vite",
  "test/support/chromium.ts",
  "test/support/postgres.ts",
  "test/http/node-socket.ts",
  "test/http/server-process.ts",
  "src/apps/node/dashboard.ts",
];

const IMPORT = /(?:^(?:import|export)\s(?!type\b)(?:[^;"]*?\sfrom\s)?|\bimport\()"([^"]+)"/gm;

/** Every test file, by its path below the repository. */
export function listTestFiles(): string[] {
  return readdirSync(path.join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** What a test file reaches through its imports: files below the repository, and names of packages. Types do not count. */
export function reachedFrom(file: string): Set<string> {
  const reached = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    // What src/ imports is what the test is about.
    if (next.startsWith("test/")) open.push(...importsOf(next));
  }
  return reached;
}

export const isFast = (file: string): boolean => {
  const reached = reachedFrom(file);
  return !HEAVY.some((name) => reached.has(name));
};

/** By file: many tests import the same ones. */
const imports = new Map<string, string[]>();

function importsOf(file: string): string[] {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const found = readImports(file);
  imports.set(file, found);
  return found;
}

function readImports(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, target = ""]) => {
    if (target.startsWith("#")) return `src/${target.slice(1)}`;
    if (target.startsWith(".")) return path.posix.join(path.posix.dirname(file), target);
    return target;
  });
}

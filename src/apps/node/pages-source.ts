import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Inputs of a build besides the sources. */
const TOOLING = ["package-lock.json", "src/apps/node/build.ts", "src/apps/node/site-assets.ts"];

/**
 * Returns a hash that identifies the result of a build: the SHA-256 over the name and content of every input, which are all
 * of `web/`, what it imports from `src/`, and the lock file.
 */
export function hashPageSources(checkout: string): string {
  const digest = createHash("sha256");
  for (const file of listPageInputs(checkout)) {
    const bytes = readIfThere(path.join(checkout, file));
    digest.update(`${file}\0${bytes?.length ?? "none"}\0`);
    if (bytes !== undefined) digest.update(bytes);
  }
  return digest.digest("hex").slice(0, 16);
}

/** Returns the inputs of a build: file names with slashes. */
export const listPageInputs = (checkout: string): string[] => [
  ...pageSources(checkout),
  ...TOOLING,
];

/** Sorted. */
function pageSources(checkout: string): string[] {
  const found = new Set<string>();
  const open = filesBelow(path.join(checkout, "web")).map((name) => `web/${name}`);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const bytes = readIfThere(path.join(checkout, file));
    if (bytes === undefined) continue;
    found.add(file);
    if (/\.tsx?$/.test(file)) open.push(...importsOf(file, bytes.toString()));
  }
  return [...found].sort();
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)"([#.][^"]*)"/g;

/** `#x/y.ts` is `src/x/y.ts`, as in package.json. */
const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, target = ""]) =>
    target.startsWith("#")
      ? `src/${target.slice(1)}`
      : path.posix.join(path.posix.dirname(file), target),
  );

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"),
      );
  } catch {
    return [];
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

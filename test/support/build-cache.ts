/**
 * What several test files would each build anew (bundles of the Workers, an initialised PostgreSQL) is built once and stored in
 * `node_modules/.cache/toolbooth-tests`, which any process may remove.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/toolbooth-tests");

/** A folder with the content that `build` writes into it, built unless one with this key exists. Nobody changes it afterwards. */
export async function buildOnce(
  key: string,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(CACHE, createHash("sha256").update(key).digest("hex").slice(0, 24));
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(path.join(CACHE, ".building-"));
  try {
    await build(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** A hash of the contents of these files; a file that does not exist counts as such. */
export function hashFiles(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const bytes = existsSync(file) ? readFileSync(file) : null;
    hash.update(`${file}\0${bytes?.length ?? "missing"}\0`);
    if (bytes !== null) hash.update(bytes);
  }
  return hash.digest("hex");
}

/**
 * What several test files would each build anew (bundles of the Workers, an initialised PostgreSQL) is built once and stored in
 * `node_modules/.cache/toolbooth-tests`, which any process may remove.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/toolbooth-tests");

/**
 * A folder with the content that `build` writes into it, built unless one with this key exists. Nobody changes it afterwards. While one
 * process builds it, others wait.
 */
export async function buildOnce(
  key: string,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(CACHE, createHash("sha256").update(key).digest("hex").slice(0, 24));
  mkdirSync(CACHE, { recursive: true });
  const lock = `${folder}.lock`;
  while (!existsSync(folder)) {
    if (!tryToLock(lock)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    const unfinished = mkdtempSync(path.join(CACHE, ".building-"));
    try {
      // Another process may have finished before this one got the lock.
      if (existsSync(folder)) break;
      await build(unfinished);
      // Of two processes that removed an abandoned lock at once, the other one may have built it as well.
      if (!existsSync(folder)) renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
      rmSync(lock, { force: true });
    }
  }
  return folder;
}

/** Writes a file with the id of the process that builds. Removes one whose process has ended. */
function tryToLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    // An empty file was created a moment ago.
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { findBuild, hashSources } from "./builds.js";

/**
 * Returns the folder of the build of the present sources, which is made in the first place that is writable unless it is there
 * already. A folder gets its name when it is complete, so nothing finds an incomplete build.
 */
export async function writeBuild(
  checkout: string,
  kind: "server" | "pages",
  places: readonly string[],
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = hashSources(checkout, kind);
  const there = findBuild(places, hash);
  if (there !== undefined) return there;
  const { place, unfinished } = makeFolder(places);
  const folder = path.join(place, hash);
  try {
    await fill(unfinished);
    if (hashSources(checkout, kind) !== hash)
      throw new Error("The sources changed during the build");
    // A temporary folder is private, and the user who runs the build may be another one.
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has built the same sources in the meantime.
    if (!existsSync(folder)) throw error;
  }
  removeOlder(place);
  return folder;
}

function makeFolder(places: readonly string[]) {
  const problems: string[] = [];
  for (const place of places) {
    try {
      mkdirSync(place, { recursive: true });
      return { place, unfinished: mkdtempSync(path.join(place, ".building-")) };
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(`No folder is writable: ${problems.join("; ")}`);
}

/** A running server still starts threads from the build before this one. */
const KEPT = 2;

/** Removes old builds, and what an interrupted one left. */
function removeOlder(place: string): void {
  const changedAt = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folders = readdirSync(place)
    .filter((name) => /^(?:[0-9a-f]{16}|\.building-\w+)$/.test(name))
    .map((name) => path.join(place, name))
    .sort((one, other) => changedAt(other) - changedAt(one));
  for (const folder of folders.slice(KEPT)) rmSync(folder, { recursive: true, force: true });
}

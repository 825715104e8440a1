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
import { BUILD_NAME, buildsIn, isUnchanged } from "./built-code.js";

/** The manifest in every finished build. A build becomes visible at once, when its folder gets its name. */
export const MANIFEST = "manifest.json";
/** The styles in the head of every page. */
export const FIRST_PAINT = "first-paint.css";

/** The stamps of the inputs of a build: see `built-code.js`. */
export const SOURCES = "sources.json";

/** The argument with which `build.ts` builds nothing but the pages. */
export const ONLY_PAGES = "pages";

const UNFINISHED = ".building-";
/** Longer than any build takes: an older unfinished build belongs to a process that died. */
const ABANDONED_MS = 3_600_000;

/** The folders for builds: next to the code, or next to the data if the code is read-only. */
export const buildPlaces = (checkout: string, dataDir: string): string[] => [
  path.join(checkout, "dist"),
  path.resolve(dataDir, "pages"),
];

/** Returns the folder of the build with this hash, if it exists. */
export const findBuild = (places: string[], hash: string): string | undefined =>
  places.map((place) => path.join(place, hash)).find(isWhole);

/**
 * Returns the folder of a build whose inputs are the present files; undefined without one, or if the build did not stamp them. Does
 * not read the files, as a hash of them would: a start takes 40 ms less.
 */
export const findUnchanged = (places: string[], checkout: string): string | undefined =>
  places
    .flatMap(buildsIn)
    .find((folder) => isWhole(folder) && isUnchanged(checkout, path.join(folder, SOURCES)));

const isWhole = (folder: string): boolean => existsSync(path.join(folder, MANIFEST));

/** Creates a new folder in the first location that is writable. Throws with all causes if none is. */
export function makeUnfinished(places: string[]): { place: string; folder: string } {
  const problems: string[] = [];
  for (const place of places) {
    try {
      mkdirSync(place, { recursive: true });
      return { place, folder: mkdtempSync(path.join(place, UNFINISHED)) };
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(`No folder is writable: ${problems.join("; ")}`);
}

/** Renames a finished build to its final name. If two processes built the same sources, the first one wins; the results are equal. */
export function publishBuild(unfinished: string, place: string, hash: string, kept = 2): string {
  const folder = path.join(place, hash);
  // The temporary folder is private; another user may run this build.
  chmodSync(unfinished, 0o755);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (isWhole(folder)) {
      rmSync(unfinished, { recursive: true, force: true });
      return folder;
    }
    if (!existsSync(folder)) throw error;
    // Files of the existing build are missing.
    renameSync(folder, path.join(place, `${UNFINISHED}broken-${process.pid}`));
    renameSync(unfinished, folder);
  }
  removeOlder(place, hash, kept);
  return folder;
}

/** Removes old builds. Servers hold their pages in memory, so no one needs those; one is kept for a rollback. */
function removeOlder(place: string, current: string, kept: number): void {
  const builds = readdirSync(place)
    .filter((name) => BUILD_NAME.test(name) && name !== current)
    .map((name) => ({ name, at: changedAt(path.join(place, name)) }))
    .sort((a, b) => b.at - a.at)
    .slice(kept - 1);
  const abandoned = readdirSync(place)
    .filter((name) => name.startsWith(UNFINISHED))
    .map((name) => ({ name, at: changedAt(path.join(place, name)) }))
    .filter(({ name, at }) => name.includes("broken") || Date.now() - at > ABANDONED_MS);
  for (const { name } of [...builds, ...abandoned]) {
    rmSync(path.join(place, name), { recursive: true, force: true });
  }
}

const changedAt = (folder: string): number =>
  statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;

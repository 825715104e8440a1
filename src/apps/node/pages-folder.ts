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

/** Lies in every finished build: what was made of which source. A build becomes visible whole, by its folder's name. */
export const MANIFEST = "manifest.json";
/** The styles that stand in the head of every page. */
export const FIRST_PAINT = "first-paint.css";

const UNFINISHED = ".building-";
/** Longer than any build takes: what is older was left by a process that died. */
const ABANDONED_MS = 3_600_000;
const KEPT = 2;
const HASH = /^[0-9a-f]{16}$/;

/** Where builds lie: with the code; with the data, where the code may not be written to. */
export const buildPlaces = (checkout: string, dataDir: string): string[] => [
  path.join(checkout, "dist"),
  path.resolve(dataDir, "pages"),
];

/** The folder of the build with this hash, if there is one. */
export const findBuild = (places: string[], hash: string): string | undefined =>
  places.map((place) => path.join(place, hash)).find(isWhole);

const isWhole = (folder: string): boolean => existsSync(path.join(folder, MANIFEST));

/** A fresh folder in the first place that takes one. The places' faults together, if none does. */
export function makeUnfinished(places: string[]): { place: string; folder: string } {
  const faults: string[] = [];
  for (const place of places) {
    try {
      mkdirSync(place, { recursive: true });
      return { place, folder: mkdtempSync(path.join(place, UNFINISHED)) };
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  throw new Error(`No folder can be written to: ${faults.join("; ")}`);
}

/** Gives a finished build its name. Of two processes that built the same, the first one wins, and that is as good. */
export function publishBuild(unfinished: string, place: string, hash: string): string {
  const folder = path.join(place, hash);
  // Made for its owner alone; another user may run what this one has built.
  chmodSync(unfinished, 0o755);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (isWhole(folder)) {
      rmSync(unfinished, { recursive: true, force: true });
      return folder;
    }
    if (!existsSync(folder)) throw error;
    // Someone has taken files out of it.
    renameSync(folder, path.join(place, `${UNFINISHED}broken-${process.pid}`));
    renameSync(unfinished, folder);
  }
  removeOlder(place, hash);
  return folder;
}

/** Servers hold their pages in memory, so an older build is needed by nobody; one is kept for going back. */
function removeOlder(place: string, current: string): void {
  const builds = readdirSync(place)
    .filter((name) => HASH.test(name) && name !== current)
    .map((name) => ({ name, at: changedAt(path.join(place, name)) }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT - 1);
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

/** The pictures of screens in the documentation, and what was drawn. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");
export const PICTURES = path.join(ROOT, "docs/images");
/** Says when the pictures were drawn, and of which sources. */
export const RECORD = path.join(PICTURES, "drawn.json");

type Picture = {
  /** The name in `screens.ts`. */
  screen: string;
  /** Folders and files that decide how the screen looks. */
  sources: readonly string[];
};

const FRAME = [
  "src/site/tokens.ts",
  "src/site/shell-style.ts",
  "web/frame",
  "web/parts",
  "web/styles.css",
];

export const SCREEN_PICTURES: Record<string, Picture> = {
  "dashboard.png": { screen: "home", sources: [...FRAME, "web/home", "test/web/fixtures.ts"] },
  "call.png": { screen: "tool, qr-code", sources: [...FRAME, "web/tools", "src/tools/qr-code"] },
};

export type Drawn = Record<string, { release: string; sources: string }>;

/** The SHA-256 of the sources of a picture. */
export function fingerprintOf({ sources }: Picture): string {
  const hash = createHash("sha256");
  for (const file of sources.flatMap(filesIn).sort()) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(path.join(ROOT, file)));
  }
  return hash.digest("hex");
}

function filesIn(source: string): string[] {
  if (/\.\w+$/.test(source)) return [source];
  const found = readdirSync(path.join(ROOT, source), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

/** Released versions and the one in work, newest first, from the headings of the changelog. */
export function releasesIn(changelog: string): string[] {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version as string);
}

/** How many releases a picture is older than the newest; 0 if what it shows has not changed since. */
export function releasesBehind(
  drawn: Drawn[string],
  sources: string,
  releases: readonly string[],
): number {
  if (drawn.sources === sources) return 0;
  const at = releases.indexOf(drawn.release);
  return at < 0 ? releases.length : at;
}

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const ROOT = path.join(import.meta.dirname, "../..");
const MANTINE = path.join(ROOT, "node_modules/@mantine/core");
/** The form of the class names of Mantine's components, in its scripts and styles. */
const NAME = /\bm_[0-9a-f]{6,10}\b/g;
const namesIn = (text: string) => new Set(text.match(NAME) ?? []);

/** The files of the newest build, which `npm test` makes. */
function readBuild(ending: string): string {
  const dist = path.join(ROOT, "dist");
  const builds = readdirSync(dist).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const ages = builds.map((name) => ({ name, at: statSync(path.join(dist, name)).mtimeMs }));
  const newest = ages.sort((a, b) => b.at - a.at)[0]?.name ?? "";
  const assets = path.join(dist, newest, "assets");
  const files = readdirSync(assets).filter((name) => name.endsWith(ending));
  return files.map((name) => readFileSync(path.join(assets, name), "utf8")).join("\n");
}

test("the styles of every Mantine component in use are imported", () => {
  const styled = namesIn(readFileSync(path.join(MANTINE, "styles.css"), "utf8"));
  const used = [...namesIn(readBuild(".js"))].filter((name) => styled.has(name));
  const imported = namesIn(readBuild(".css"));
  assert.ok(used.length > 50, "the build contains components");
  const missing = used.filter((name) => !imported.has(name));
  const files = readdirSync(path.join(MANTINE, "styles")).filter((file) => {
    if (file.endsWith(".layer.css")) return false;
    const names = namesIn(readFileSync(path.join(MANTINE, "styles", file), "utf8"));
    return missing.some((name) => names.has(name));
  });
  assert.deepEqual(files, [], "web/components.css must import these files");
});

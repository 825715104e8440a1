import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { buildPages } from "#apps/node/build-pages.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const MANTINE = path.join(ROOT, "node_modules/@mantine/core");
/** The form of the class names of Mantine's components, in its scripts and styles. */
const NAME = /\bm_[0-9a-f]{6,10}\b/g;
const namesIn = (text: string) => new Set(text.match(NAME) ?? []);

const build = await buildPages(ROOT, path.join(ROOT, "data"));

function readBuild(ending: string): string {
  const assets = path.join(build, "assets");
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

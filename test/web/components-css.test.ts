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

test("the styles of the Mantine components in use are imported, and no others", () => {
  const used = namesIn(readBuild(".js"));
  const styles = readBuild(".css");
  const source = readFileSync(path.join(ROOT, "web/components.css"), "utf8");
  const files = readdirSync(path.join(MANTINE, "styles"))
    .filter((file) => !file.endsWith(".layer.css"))
    .map((file) => {
      const names = [...namesIn(readFileSync(path.join(MANTINE, "styles", file), "utf8"))];
      return { file, inUse: names.filter((name) => used.has(name)), isStyled: names.length > 0 };
    });
  assert.ok(files.flatMap(({ inUse }) => inUse).length > 50, "the build contains components");
  assert.deepEqual(
    files.filter(({ inUse }) => inUse.some((name) => !styles.includes(name))).map((f) => f.file),
    [],
    "web/components.css must import these files",
  );
  assert.deepEqual(
    files
      .filter(
        ({ file, inUse, isStyled }) =>
          source.includes(`/${file}`) && isStyled && inUse.length === 0,
      )
      .map(({ file }) => file),
    [],
    "web/components.css must not import these files",
  );
});

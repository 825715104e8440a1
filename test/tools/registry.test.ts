import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { TOOLS } from "#tools/registry.ts";

const SRC = path.join(import.meta.dirname, "../../src");

test("only the apps import the registry; everything else gets its tools as an argument", () => {
  const importers = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /from "[^"]*\/registry\.ts"/.test(readFileSync(path.join(SRC, file), "utf8")))
    .map((file) => file.split(path.sep)[0]);
  assert.deepEqual([...new Set(importers)], ["apps"]);
});

test("every folder below src/tools is a tool of the registry", () => {
  const folders = readdirSync(path.join(SRC, "tools"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.deepEqual(folders.sort(), TOOLS.map(({ name }) => name).sort());
});

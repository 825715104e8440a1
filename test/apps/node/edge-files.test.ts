import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { D1_MIGRATIONS, migrationFile } from "#stores/schema/d1-migrations.ts";
import { writeEdgeFiles } from "../../../src/apps/node/edge-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

test("the files for Cloudflare are the modules of both Workers, the pages, what the Worker reads, and the migrations of D1", async (t) => {
  const [pages, out, dataDir] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  mkdirSync(path.join(pages, "assets"));
  for (const name of ["manifest.json", "inline.json", "sources.json"])
    writeFileSync(path.join(pages, name), `the ${name}`);
  for (const name of ["main-1.js", "main-1.js.br"])
    writeFileSync(path.join(pages, "assets", name), name);
  // As the published package has it.
  writeFileSync(path.join(pages, "assets/other-1.js.br"), brotliCompressSync("other"));
  mkdirSync(path.join(dataDir, "pages"));
  writeFileSync(path.join(dataDir, "pages/terms.md"), "# Terms\n");
  const modules = (...names: string[]) => new Map(names.map((name) => [name, Buffer.from(name)]));
  const warn = (text: string) => assert.fail(text);
  const given = { site: modules("worker.js"), out, dataDir, warn };

  await writeEdgeFiles(pages, { ...given, api: modules("tool-1.js", "worker.js") });
  const migrations = D1_MIGRATIONS.map(({ name }) => `migrations/${name}.sql`);
  const build = [
    ...["disposable-domains.json", "docs.json", "inline.json", "legal.json", "manifest.json"],
  ];
  const written = [
    ...["api/tool-1.js", "api/worker.js", "assets/_headers", "assets/assets/main-1.js"],
    "assets/assets/other-1.js",
    ...build.map((name) => `assets/build/${name}`),
    ...[...migrations, "site/worker.js"],
  ];
  assert.deepEqual(filesIn(out), written);
  const read = (name: string) => readFileSync(path.join(out, name), "utf8");
  assert.deepEqual(migrations.map(read), D1_MIGRATIONS.map(migrationFile));
  assert.equal(read("assets/assets/other-1.js"), "other");
  assert.equal(JSON.parse(read("assets/build/legal.json")).terms, "# Terms");
  assert.match(JSON.parse(read("assets/build/docs.json"))["README.md"], /^# /);

  // A second build writes only what has changed, and deletes what is no longer part of it.
  const before = statSync(path.join(out, "assets/build/docs.json")).mtimeMs;
  writeFileSync(path.join(out, "assets/assets/main-0.js"), "of an earlier build");
  writeFileSync(path.join(pages, "assets/main-1.js"), "changed");
  const next = { ...given, api: modules("tool-2.js", "worker.js") };
  await Promise.all([1, 2].map(() => writeEdgeFiles(pages, next)));
  assert.deepEqual(
    filesIn(out),
    written.map((name) => name.replace("tool-1", "tool-2")),
  );
  assert.equal(read("assets/assets/main-1.js"), "changed");
  assert.equal(statSync(path.join(out, "assets/build/docs.json")).mtimeMs, before);
});

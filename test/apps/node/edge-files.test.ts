import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { D1_MIGRATIONS, migrationFile } from "#stores/schema/d1-migrations.ts";
import { TOOLS } from "#tools/registry.ts";
import { writeApiWorker, writeEdgeFiles } from "../../../src/apps/node/edge-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

test("the files for Cloudflare are the pages, what the Worker reads, the migrations of D1, and the modules of the API Worker", async (t) => {
  const [pages, out, dataDir] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  mkdirSync(path.join(pages, "assets"));
  for (const name of ["manifest.json", "inline.json", "sources.json"])
    writeFileSync(path.join(pages, name), `the ${name}`);
  for (const name of ["main-1.js", "main-1.js.br", "main-1.js.gz"])
    writeFileSync(path.join(pages, "assets", name), name);
  mkdirSync(path.join(dataDir, "pages"));
  writeFileSync(path.join(dataDir, "pages/terms.md"), "# Terms\n");

  await writeEdgeFiles(pages, { out, dataDir });
  const migrations = D1_MIGRATIONS.map(({ name }) => `migrations/${name}.sql`);
  const build = [
    ...["disposable-domains.json", "docs.json", "inline.json", "legal.json", "manifest.json"],
  ];
  const modules = filesIn(out).filter((name) => name.startsWith("api/"));
  assert.ok(modules.includes("api/worker.js") && modules.length > TOOLS.length);
  assert.deepEqual(filesIn(out), [
    ...modules,
    "assets/_headers",
    "assets/assets/main-1.js",
    ...build.map((name) => `assets/build/${name}`),
    ...migrations,
  ]);
  const read = (name: string) => readFileSync(path.join(out, name), "utf8");
  assert.deepEqual(migrations.map(read), D1_MIGRATIONS.map(migrationFile));
  assert.equal(JSON.parse(read("assets/build/legal.json")).terms, "# Terms");
  assert.match(JSON.parse(read("assets/build/docs.json"))["README.md"], /^# /);

  // A second build writes only what has changed, and deletes what is no longer part of it.
  const before = statSync(path.join(out, "assets/build/docs.json")).mtimeMs;
  writeFileSync(path.join(out, "assets/assets/main-0.js"), "of an earlier build");
  writeFileSync(path.join(out, "api/tool-0.js"), "of an earlier build");
  writeFileSync(path.join(pages, "assets/main-1.js"), "changed");
  await Promise.all([1, 2].map(() => writeEdgeFiles(pages, { out, dataDir })));
  assert.ok(!filesIn(out).includes("assets/assets/main-0.js"));
  await writeApiWorker(out);
  assert.deepEqual(
    filesIn(out).filter((name) => name.startsWith("api/")),
    modules,
  );
  assert.equal(read("assets/assets/main-1.js"), "changed");
  assert.equal(statSync(path.join(out, "assets/build/docs.json")).mtimeMs, before);
});

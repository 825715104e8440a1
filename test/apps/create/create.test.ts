import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { SETTINGS } from "#config/settings.ts";
import { askTerminal, CreateError, create } from "../../../src/apps/create/create.js";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The project that `npm create toolbooth` writes. `package.test.ts` installs and runs it. */
const ROOT = path.join(import.meta.dirname, "../../..");
const read = (...parts: string[]) => readFileSync(path.join(...parts), "utf8");
const ours = JSON.parse(read(ROOT, "package.json"));

const FILES = [
  ...[".dockerignore", ".env.example", ".gitignore", "Dockerfile", "README.md", "package.json"],
  ...["tools", "tools/word-count.test.ts", "tools/word-count.ts", "tsconfig.json"],
];
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .sort();

/** `my-tools`, created. */
async function created(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  await create(["my-tools"], folder, undefined);
  return path.join(folder, "my-tools");
}

const NO_NAME = /cannot be the name of a project: it has lowercase letters, digits and hyphens/;
const noQuestion = async () => assert.fail("it asks");

test("the project has its name, its files and the version of Toolbooth that wrote it", async (t) => {
  const project = await created(t);
  assert.deepEqual(filesIn(project), FILES);
  const manifest = JSON.parse(read(project, "package.json"));
  assert.equal(manifest.name, "my-tools");
  assert.equal(manifest.type, "module");
  assert.deepEqual(manifest.engines, ours.engines);
  assert.deepEqual(manifest.dependencies, { toolbooth: `^${ours.version}` });
  const { typescript } = ours.devDependencies;
  assert.deepEqual(manifest.devDependencies, { "@types/node": "^24.0.0", typescript });
  assert.deepEqual(Object.keys(manifest.scripts), ["start", "dev", "check", "test"]);
  assert.match(read(project, "README.md"), /^# my-tools\n/);
  for (const name of FILES.filter((each) => each !== "tools"))
    assert.doesNotMatch(read(project, name), /my-api/, name);
});

test("its tool is the one of the documentation", async (t) => {
  const tool = read(await created(t), "tools/word-count.ts");
  for (const page of ["docs/own-tools.md", "README.md"])
    assert.ok(read(ROOT, page).includes(`\`\`\`ts\n${tool}\`\`\``), page);
});

test("its settings exist, and none is set", async (t) => {
  const lines = read(await created(t), ".env.example").split("\n");
  const names = lines.flatMap((line) => /^#([A-Z_]+)=./.exec(line)?.[1] ?? []);
  assert.ok(names.length > 5);
  const known: readonly string[] = SETTINGS.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  );
  assert.ok(lines.every((line) => line === "" || line.startsWith("#")));
});

test("its image is built on that of Toolbooth, runs without root, and has no volume, settings or data", async (t) => {
  const project = await created(t);
  const line = (text: string, start: string) =>
    text.split("\n").filter((each) => each.startsWith(`${start} `));
  const [own, image] = [read(project, "Dockerfile"), read(ROOT, "Dockerfile")];
  assert.deepEqual(line(own, "FROM"), line(image, "FROM").slice(-1));
  for (const start of ["USER", "ENV", "EXPOSE", "HEALTHCHECK"])
    assert.deepEqual(line(own, start), line(image, start), start);
  assert.deepEqual(line(own, "VOLUME"), []);
  const kept = read(project, ".dockerignore").split("\n");
  for (const name of ["node_modules", "data", ".env"]) assert.ok(kept.includes(name), name);
});

test("it asks for the name only with a terminal, without --yes and without a name", async (t) => {
  const folder = temporaryFolder(t);
  const ask = async (question: string) => {
    assert.equal(question, "Name of the project (my-api): ");
    return " asked ";
  };
  assert.match(await create([], folder, ask), /^Wrote the project asked\./);
  assert.match(await create(["named"], folder, noQuestion), /\n {2}cd named\n/);
  assert.match(await create(["--yes"], folder, noQuestion), /^Wrote the project my-api\./);
  const other = temporaryFolder(t);
  assert.match(await create([], other, undefined), /^Wrote the project my-api\./);
  const third = temporaryFolder(t);
  assert.match(await create([], third, async () => ""), /^Wrote the project my-api\./);
  assert.deepEqual(
    filesIn(folder).filter((name) => !name.includes("/")),
    ["asked", "my-api", "named"],
  );
});

test("it writes into an empty folder, also the current one and one in another folder", async (t) => {
  const folder = temporaryFolder(t);
  const empty = path.join(folder, "empty-one");
  mkdirSync(empty);
  assert.match(await create(["."], empty, noQuestion), /Next:\n\n {2}npm install\n/);
  assert.deepEqual(filesIn(empty), FILES);
  const steps = await create(["a b/inner"], folder, noQuestion);
  assert.match(steps, /^Wrote the project inner\. Next:\n\n {2}cd "a b\/inner"\n/);
  assert.deepEqual(filesIn(path.join(folder, "a b/inner")), FILES);
});

test("a new repository counts as empty", async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, "cloned/.git"), { recursive: true });
  assert.match(await create(["cloned"], folder, noQuestion), /^Wrote the project cloned\./);
  await assert.rejects(create(["cloned"], folder, noQuestion), /is not empty/);
});

test("the question takes a line; Ctrl-C and the end of the input leave it, and nothing is written", async (t) => {
  const folder = temporaryFolder(t);
  const asking = (typed: string | null) => {
    const input = new PassThrough();
    const ask = (question: string) => askTerminal(question, input, new PassThrough());
    const creating = create([], folder, ask);
    if (typed === null) input.end();
    else input.write(typed);
    return creating;
  };
  for (const typed of ["\u0003", "half\u0003", "\u0004", null])
    await assert.rejects(asking(typed), { name: "AbortError" });
  await assert.rejects(asking("My API\r"), { message: NO_NAME });
  assert.deepEqual(filesIn(folder), []);
  assert.match(await asking("typed\r"), /^Wrote the project typed\./);
});

test("--help writes nothing", async (t) => {
  const folder = temporaryFolder(t);
  assert.match(await create(["--help"], folder, noQuestion), /^Usage: npm create toolbooth/);
  assert.deepEqual(filesIn(folder), []);
});

const REFUSED: readonly [args: string[], message: RegExp][] = [
  [["taken"], /^The folder taken is not empty\. Nothing was written; choose another name/],
  [["file"], /^file is a file\. Nothing was written; choose another name\.$/],
  [["file/inner"], /^file\/inner is a file/],
  [[""], NO_NAME],
  [["My-API"], NO_NAME],
  [["my api"], NO_NAME],
  [["my_api"], NO_NAME],
  [["-"], NO_NAME],
  [["my--api"], NO_NAME],
  [["node_modules"], NO_NAME],
  [["/"], NO_NAME],
  [["a".repeat(215)], NO_NAME],
  [["\u001b[31mred"], NO_NAME],
  [["toolbooth"], /^"toolbooth" is the name of the package that the project installs\./],
  [["one", "two"], /^More than one folder was given\.\n\nUsage: /],
  [["--force", "my-api"], /^Unknown option '--force'[\s\S]*\n\nUsage: /],
  [["--yes=no"], /^Option '-y, --yes' does not take an argument[\s\S]*\n\nUsage: /],
];
for (const [args, message] of REFUSED)
  test(`${JSON.stringify(args).slice(0, 40)} is refused, and nothing is written`, async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(path.join(folder, "taken"));
    for (const name of ["taken/.keep", "file"]) writeFileSync(path.join(folder, name), "theirs");
    await assert.rejects(create(args, folder, noQuestion), (error) => {
      assert.ok(error instanceof CreateError, String(error));
      assert.match(error.message, message);
      assert.ok(!error.message.includes("\u001b"), "control characters are escaped");
      return true;
    });
    assert.deepEqual(filesIn(folder), ["file", "taken", "taken/.keep"]);
    assert.equal(read(folder, "file"), "theirs");
  });

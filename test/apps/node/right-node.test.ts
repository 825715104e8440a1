import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parse } from "acorn";
import { complaintAbout } from "../../../src/apps/node/right-node.cjs";

/**
 * Whoever has an old Node is told so in a sentence. A Node parses a file, and the files that it imports, before it runs any of it,
 * so what runs first is written in what old Nodes know: modules as of ES2020 from Node 12.17 on.
 */
const ROOT = path.join(import.meta.dirname, "../../..");
const CHECK = "src/apps/node/right-node.cjs";
/** Of the service and the command line, and of `npm create toolbooth`. */
const STARTS = ["src/apps/start.js", "src/apps/create/start.js"];
const COMPLAINT =
  /^Toolbooth needs Node 24 or newer; this is \d+\.\d+\. On Linux, `npm ci` installs it [^\n]+ https:\/\/nodejs\.org\.\n$/;

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

for (const version of ["0.12.18", "8.17.0", "14.21.3", "20.20.2", "23.11.1"])
  test(`Node ${version} is too old`, () => {
    const text = complaintAbout(version, false) ?? "";
    assert.match(text, COMPLAINT);
    assert.ok(text.includes(`this is ${version.split(".").slice(0, 2).join(".")}. `));
  });

for (const version of ["24.0.0", process.versions.node, "25.1.0-nightly2026", "100.0.0"])
  test(`Node ${version} is new enough`, () =>
    assert.equal(complaintAbout(version, false), undefined));

test("the package says how to install Node for the folder that has it", () => {
  const install = `npm install node-linux-${process.arch}@24`;
  assert.match(
    complaintAbout("20.20.2", true) ?? "",
    new RegExp(
      `this is 20\\.20\\. On Linux, \`${install}\` installs it for this folder; elsewhere `,
    ),
  );
});

test("the check is a script that every Node can parse, and requires nothing", () => {
  parse(read(CHECK), { ecmaVersion: 2015, sourceType: "script" });
  assert.doesNotMatch(read(CHECK), /\brequire\(/);
});

for (const start of STARTS)
  test(`old Nodes can parse ${start}, which imports only the check before it runs`, () => {
    const { body } = parse(read(start), {
      ecmaVersion: 2020,
      sourceType: "module",
      allowHashBang: true,
    });
    const imported = body.flatMap((node) =>
      node.type === "ImportDeclaration" ? [String(node.source.value)] : [],
    );
    assert.deepEqual(
      imported.map((name) => path.join(path.dirname(start), name)),
      [CHECK],
    );
  });

test("each npm script that starts Node begins with the check, and gives Node no option that an old one rejects", () => {
  const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;
  const starting = Object.values(scripts).filter((script) => script.startsWith("node "));
  assert.ok(starting.length > 10);
  for (const script of starting)
    assert.match(script, /^node -r \.\/src\/apps\/node\/right-node\.cjs [a-z]/);
});

/** Nodes on the path that are too old. */
const oldNodes = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .concat("/usr/bin", "/usr/local/bin")
  .map((folder) => path.join(folder, "node"))
  .filter((file, index, all) => all.indexOf(file) === index && existsSync(file))
  .map((file) => ({
    file,
    version: execFileSync(file, ["-p", "process.versions.node"]).toString(),
  }))
  .filter(({ version }) => complaintAbout(version, false) !== undefined);

test("an old Node prints the sentence and nothing else, for every start", (t) => {
  if (oldNodes.length === 0) t.skip("there is no old Node on this machine");
  for (const { file } of oldNodes)
    for (const args of [
      ...STARTS.flatMap((start) => [[start], [start, "start"]]),
      ["-r", `./${CHECK}`, "src/apps/node/build.ts"],
    ]) {
      const { status, stdout, stderr } = spawnSync(file, args, { cwd: ROOT, encoding: "utf8" });
      assert.match(stderr, COMPLAINT);
      assert.deepEqual([status, stdout], [1, ""]);
    }
});

/** The first releases of Node 24 warn of SQLite and TypeScript, in each thread. */
test("with the check, experimental warnings of the process and of its threads are not shown, and others are", () => {
  const warn = (name: string) => `process.emitWarning("${name}", "ExperimentalWarning");
    process.emitWarning("${name}", { type: "ExperimentalWarning" });
    process.emitWarning("${name} is deprecated", "DeprecationWarning", "DEP_${name}");`;
  const thread = JSON.stringify(warn("thread"));
  const script = `${warn("process")} new (require("node:worker_threads").Worker)(${thread}, { eval: true });`;
  const seen = (args: string[]) => {
    const { stderr } = spawnSync(process.execPath, [...args, "-e", script], {
      cwd: ROOT,
      encoding: "utf8",
    });
    return (stderr.match(/\) .*?Warning: .*/g) ?? []).map((line) => line.slice(2));
  };
  const deprecations = [
    "[DEP_process] DeprecationWarning: process is deprecated",
    "[DEP_thread] DeprecationWarning: thread is deprecated",
  ];
  assert.deepEqual(seen(["-r", `./${CHECK}`]).toSorted(), deprecations);
  assert.equal(seen([]).length, 6);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { hashSources } from "../../../src/apps/node/builds.js";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** `npm start` and the command line run a build of the present sources, and the sources where there is none. `running-node.test.ts` uses a build. */
const ROOT = path.join(import.meta.dirname, "../../..");

/** A checkout whose server prints where its code is from. */
function makeCheckout(t: TestContext) {
  const checkout = temporaryFolder(t);
  const node = path.join(checkout, "src/apps/node");
  mkdirSync(node, { recursive: true });
  writeFileSync(path.join(checkout, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(checkout, "package-lock.json"), "{}");
  for (const name of ["node/builds.js", "node/right-node.cjs", "start.js"]) {
    cpSync(path.join(ROOT, "src/apps", name), path.join(checkout, "src/apps", name));
  }
  const source = path.join(node, "main.ts");
  writeFileSync(source, 'console.log("source 1");');
  const publish = () => {
    const build = path.join(checkout, "dist/server", hashSources(checkout, "server"));
    mkdirSync(build, { recursive: true });
    writeFileSync(path.join(build, "main.cjs"), 'console.log("built");');
  };
  const start = () =>
    execFileSync(process.execPath, [path.join(checkout, "src/apps/start.js"), "start"], {
      ...{ cwd: checkout, encoding: "utf8" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  return { source, publish, start };
}

test("a build runs while its sources are the same, whatever their times", (t) => {
  const { source, publish, start } = makeCheckout(t);
  assert.equal(start(), "source 1");
  publish();
  assert.equal(start(), "built");
  utimesSync(source, 1, 1);
  assert.equal(start(), "built", "another time, the same content");
});

test("a build of other sources never runs, even if their sizes and times are the same", (t) => {
  const { source, publish, start } = makeCheckout(t);
  utimesSync(source, 1, 1);
  publish();
  writeFileSync(source, 'console.log("source 2");');
  utimesSync(source, 1, 1);
  assert.equal(start(), "source 2");
  renameSync(source, `${source}.old`);
  writeFileSync(source, 'console.log("source 1");');
  assert.equal(start(), "source 1", "one more file");
});

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  type Drawn,
  fingerprintOf,
  PICTURES,
  RECORD,
  releasesBehind,
  releasesIn,
  SCREEN_PICTURES,
} from "./picture-sources.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

test("no picture of a screen is more than a release older than what it shows", () => {
  const drawn = JSON.parse(readFileSync(RECORD, "utf8")) as Drawn;
  const releases = releasesIn(read("CHANGELOG.md"));
  assert.equal(releases[0], JSON.parse(read("package.json")).version, "the newest is in work");
  for (const [name, picture] of Object.entries(SCREEN_PICTURES)) {
    assert.ok(existsSync(path.join(PICTURES, name)), name);
    const record = drawn[name];
    assert.ok(record, `${name} has no record. Run npm run images.`);
    const behind = releasesBehind(record, fingerprintOf(picture), releases);
    assert.ok(
      behind <= 1,
      `docs/images/${name} was drawn for ${record.release}, and what it shows has changed since. Run npm run images, and look at the result.`,
    );
  }
});

test("every picture of a screen in the README is drawn by the command", () => {
  const shown = [...read("README.md").matchAll(/\]\(docs\/images\/([\w-]+\.png)\)/g)];
  assert.deepEqual(shown.map(([, name]) => name).sort(), Object.keys(SCREEN_PICTURES).sort());
});

test("the age of a picture counts releases, and only if what it shows has changed", () => {
  const releases = releasesIn(
    "# Changelog\n\n## Unreleased\n\n## 0.3.0 (x)\n## 0.2.1\n### API\n## 0.2.0\n",
  );
  assert.deepEqual(releases, ["0.3.0", "0.2.1", "0.2.0"]);
  const age = (release: string, sources = "old") =>
    releasesBehind({ release, sources }, "new", releases);
  assert.deepEqual(
    ["0.3.0", "0.2.1", "0.2.0", "0.1.0"].map((each) => age(each)),
    [0, 1, 2, 3],
  );
  assert.equal(age("0.1.0", "new"), 0);
});

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { licensesOf, licensesText } from "#apps/node/licenses.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** `package.test.ts` looks at the texts of the packages that we bundle, none of which has a NOTICE today. */
test("the text of a bundled package has its license and its NOTICE, or else its author", (t) => {
  const checkout = temporaryFolder(t);
  const install = (name: string, manifest: object, files: Record<string, string>) => {
    const folder = path.join(checkout, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    const all = {
      ...files,
      "package.json": JSON.stringify({ name, version: "1.0.0", ...manifest }),
    };
    for (const [file, text] of Object.entries(all)) writeFileSync(path.join(folder, file), text);
  };
  const files = { "LICENSE.md": "Do as you like.\n", "NOTICE.txt": "Parts are by Grace.\n" };
  install("@scope/noted", { license: "Apache-2.0" }, { ...files, "index.js": "", "README.md": "" });
  install("terse", { license: "MIT", author: { name: "Ada" } }, { "index.js": "" });
  const bundled = ["@scope/noted/index.js", "@scope/noted/lib/more.js", "terse/index.js"];
  const licenses = licensesOf(checkout, [
    "src/ours.ts",
    ...bundled.map((name) => `node_modules/${name}`),
  ]);
  const [, noted = "", terse = "", ...more] = licensesText(licenses).split(/\n-{80}\n\n/);
  assert.equal(
    noted,
    "@scope/noted 1.0.0 (Apache-2.0)\n\nDo as you like.\n\nParts are by Grace.\n",
  );
  assert.equal(terse, "terse 1.0.0 (MIT)\n\nBy Ada\n");
  assert.deepEqual(more, []);
});

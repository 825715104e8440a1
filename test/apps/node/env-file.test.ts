import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Node ends a value of `.env` at every `#` that is not quoted, so `#7a2bbf` would be no setting at all, and a password half of one. */
const START = path.join(import.meta.dirname, "../../../src/apps/start.js");

describe("a # in a value of .env", () => {
  for (const [text, name] of [
    ["PORT=0\nTOOLBOOTH_ACCENT=#7a2bbf\n", "TOOLBOOTH_ACCENT"],
    ["export SMTP_URL = smtp://user:pass#word@mail.example.org\r\n", "SMTP_URL"],
    ["TOOLBOOTH_NAME=The #1 of tools\nTOOLBOOTH_LEAD=Tools in C# and F#", "TOOLBOOTH_LEAD"],
  ] as const)
    test(`${JSON.stringify(text)}: ${name} has to be quoted`, (t) => {
      const { status, stderr } = help(t, text);
      const problem = `${name} has a # in its value. Put the value in quotes.`;
      assert.equal(stderr, `The settings in .env cannot be read: ${problem}\n`);
      assert.equal(status, 1);
    });

  test("is taken in quotes, and a comment after a space is one", (t) => {
    const lines = [
      "# SMTP_URL=smtp://user:pass#word@mail.example.org",
      'TOOLBOOTH_ACCENT="#7a2bbf" # the colour',
      "PORT=0 # any",
      "TOOLBOOTH_LEAD= # none",
      "TOOLBOOTH_LOGO='<svg",
      "PORT=1#2",
      "fill=#fff/>'",
    ];
    const { status, stderr } = help(t, lines.join("\n"));
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });
});

/** The command line, which reads `.env` as the server does, in a folder with that file. */
function help(t: TestContext, text: string) {
  const folder = temporaryFolder(t);
  writeFileSync(path.join(folder, ".env"), text);
  return spawnSync(process.execPath, [START, "help"], { cwd: folder, encoding: "utf8" });
}

import assert from "node:assert/strict";
import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { checkOutputFile } from "../../../src/apps/cli/files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A data folder, a folder beside it, and other names of what is in the data folder. */
function open(t: TestContext) {
  const folder = realpathSync(temporaryFolder(t));
  const at = (...names: string[]) => path.join(folder, ...names);
  for (const name of ["data/outbox", "data/pages", "backups"])
    mkdirSync(at(name), { recursive: true });
  for (const name of [
    ...["toolbooth.sqlite", "requests.sqlite", "secret", "server.lock"],
    ...["outbox/1.eml", "pages/terms.md", "notes.txt"],
  ])
    writeFileSync(at("data", name), "kept");
  writeFileSync(at("backups/old.sqlite"), "old");
  linkSync(at("data/toolbooth.sqlite"), at("backups/hard-link"));
  linkSync(at("data/outbox/1.eml"), at("backups/hard-link-of-email"));
  symlinkSync(at("data/toolbooth.sqlite"), at("backups/link"));
  symlinkSync("link", at("backups/link-of-link"));
  symlinkSync(at("data"), at("backups/folder-link"));
  symlinkSync(at("data/toolbooth.sqlite-wal"), at("backups/dangling"));
  symlinkSync(at("data"), at("data-link"));
  return { at };
}

const REFUSED = [
  ...["data/toolbooth.sqlite", "data/requests.sqlite", "data/secret", "data/server.lock"],
  ...["data/outbox/1.eml", "data/pages/terms.md", "data/notes.txt"],
  // They do not exist, and SQLite would take them for its own.
  ...["data/toolbooth.sqlite-wal", "data/toolbooth.sqlite-shm", "data/toolbooth.sqlite-journal"],
  ...["data/requests.sqlite-wal", "data/reversals.sqlite", "data/outbox/2.eml", "data/pages/x.md"],
  ...["data/toolbooth.sqlite.commit", "data/secret.new", "data/SECRET"],
  ...["backups/../data/toolbooth.sqlite", "data/outbox/../secret", "./data/./secret"],
  ...["backups/hard-link", "backups/hard-link-of-email", "backups/link", "backups/link-of-link"],
  ...["backups/folder-link/secret", "data-link/toolbooth.sqlite", "data-link/toolbooth.sqlite-wal"],
];

test("no command writes to a file of the data folder, however it is named, with or without --force", (t) => {
  const { at } = open(t);
  for (const name of REFUSED)
    for (const dataDir of [at("data"), at("data-link"), `${at("backups")}/../data/`])
      for (const force of [true, false])
        assert.throws(
          () => checkOutputFile(`${at()}/${name}`, force, { dataDir }),
          /is a file of the data folder .*Choose a file outside of it\.$/,
          `${name} of ${dataDir}`,
        );
});

test("other files are written, and replaced with --force", (t) => {
  const { at } = open(t);
  const dataDir = at("data");
  for (const name of ["backups/new.sqlite", "backups/toolbooth.sqlite", "data/ledger-2026.jsonl"])
    for (const force of [true, false]) checkOutputFile(at(name), force, { dataDir });
  checkOutputFile(at("backups/old.sqlite"), true, { dataDir });
  assert.throws(
    () => checkOutputFile(at("backups/old.sqlite"), false, { dataDir }),
    /already exists/,
  );
  checkOutputFile(at("backups/new.sqlite"), false, { dataDir: at("missing") });
});

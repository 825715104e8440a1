import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "#config/config.ts";
import { databaseFile } from "../../../src/apps/node/data-folder.ts";
import { createSecretKeeper } from "../../../src/apps/node/secret-file.ts";
import { findServer } from "../../../src/apps/node/server-lock.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { temporaryFolder } from "../../http/server-process.ts";

/** Which data folders a server starts on: those with a ledger and no other server, and new ones. */

const open = (dataDir: string, log: (sentence: string) => void = () => {}) =>
  openNodeStore(
    readConfig({ DATA_DIR: dataDir }),
    { onBatch() {}, onCrash() {}, onFault() {} },
    { forMs: 0, log },
  );

async function openAndClose(dataDir: string): Promise<void> {
  await (await open(dataDir)).close();
}

/** Each makes a folder that has lost its ledger, from one that has a ledger. */
const LOST: Record<string, (dataDir: string) => void> = {
  "the secret": () => {},
  "the log of a server that was killed": (dataDir) =>
    writeFileSync(`${databaseFile(dataDir)}-wal`, "x"),
  "emails in the outbox": (dataDir) => {
    mkdirSync(path.join(dataDir, "outbox"));
    writeFileSync(path.join(dataDir, "outbox", "1.eml"), "x");
  },
  "pending reversals": (dataDir) => writeFileSync(path.join(dataDir, "reversals.sqlite"), "x"),
  "the request log": (dataDir) => writeFileSync(path.join(dataDir, "requests.sqlite"), "x"),
  "the database before a restore": (dataDir) =>
    writeFileSync(path.join(dataDir, "toolbooth-before-2026-11-23T03-00-00Z.sqlite"), "x"),
};
const KEPT: Record<string, string> = {
  "the secret": "secret",
  "the log of a server that was killed": "toolbooth.sqlite-wal",
  "emails in the outbox": "outbox",
  "pending reversals": "reversals.sqlite",
  "the request log": "requests.sqlite",
  "the database before a restore": "toolbooth-before-2026-11-23T03-00-00Z.sqlite",
};

test("a start without the database, but with traces of it, is an error and creates nothing", async (t) => {
  const whole = path.join(temporaryFolder(t), "whole");
  await openAndClose(whole);
  for (const [name, make] of Object.entries(LOST)) {
    for (const isEmpty of [false, true]) {
      const dataDir = temporaryFolder(t);
      make(dataDir);
      if (name === "the secret") writeFileSync(path.join(dataDir, "secret"), "x".repeat(40));
      if (isEmpty) writeFileSync(databaseFile(dataDir), "");
      const before = readdirSync(dataDir);
      await assert.rejects(open(dataDir), (error: Error) => {
        const state = isEmpty ? "empty" : "missing";
        assert.ok(
          error.message.startsWith(
            `The ledger is lost: ${databaseFile(dataDir)} is ${state}, but the folder has files of an earlier ledger (${KEPT[name]}). `,
          ),
          error.message,
        );
        return /restore '<backup file>'.*To start a new ledger on purpose, move these files/.test(
          error.message,
        );
      });
      assert.deepEqual(readdirSync(dataDir), before, name);
    }
  }
});

test("a server that ran leaves enough to notice that its database is gone", async (t) => {
  const dataDir = temporaryFolder(t);
  const store = await openNodeStore(
    readConfig({ DATA_DIR: dataDir, SECRET: "a secret in the settings" }),
    { onBatch() {}, onCrash() {}, onFault() {} },
  );
  await store.close();
  rmSync(databaseFile(dataDir));
  await assert.rejects(open(dataDir), /earlier ledger \(server\.json\)/);
});

test("a folder with an empty database and nothing else is new", async (t) => {
  const dataDir = temporaryFolder(t);
  writeFileSync(databaseFile(dataDir), "");
  await openAndClose(dataDir);
});

function startHolder(t: TestContext, dataDir: string) {
  const url = new URL("../../../src/apps/node/server-lock.ts", import.meta.url).href;
  const code = `
    const { lockDataFolder } = await import(${JSON.stringify(url)});
    lockDataFolder(${JSON.stringify(dataDir)}, 0).describe("http://127.0.0.1:8787");
    process.stdout.write("held");
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    "--input-type=module",
    "--eval",
    code,
  ]);
  t.after(() => child.kill("SIGKILL"));
  return child;
}

test("a running server keeps others from its folder until it ends, also by a kill", async (t) => {
  const dataDir = temporaryFolder(t);
  assert.equal(findServer(dataDir), null);
  const holder = startHolder(t, dataDir);
  await once(holder.stdout, "data");
  const named = new RegExp(
    `^server \\(process ${holder.pid} on .+, http://127\\.0\\.0\\.1:8787, started 1970-01-01T00:00:00\\.000Z\\)`,
  );
  assert.match(findServer(dataDir) ?? "", named);
  writeFileSync(databaseFile(dataDir), "");
  rmSync(path.join(dataDir, "server.json"));
  await assert.rejects(
    open(dataDir),
    /^Error: Another server is already running on the data folder/,
  );
  holder.kill("SIGKILL");
  await once(holder, "exit");
  assert.equal(findServer(dataDir), null);
  const store = await open(dataDir);
  await assert.rejects(open(dataDir), new RegExp(`Another server \\(process ${process.pid} on `));
  await store.close();
  await openAndClose(dataDir);
});

test("the log of a server that was killed is not applied to another database", async (t) => {
  const dataDir = temporaryFolder(t);
  const store = await open(dataDir);
  t.after(() => store.close());
  await createFixture(store).account("Ada", { credits: 5 });
  // What a kill leaves behind.
  const copy = path.join(dataDir, "copy");
  mkdirSync(copy);
  for (const name of ["toolbooth.sqlite", "toolbooth.sqlite-wal", "server.json", "secret"])
    copyFileSync(path.join(dataDir, name), path.join(copy, name));
  const described = JSON.parse(readFileSync(path.join(copy, "server.json"), "utf8"));
  const log = statSync(path.join(copy, "toolbooth.sqlite-wal")).ino;
  const inodes = { database: described.inodes.database, log };
  writeFileSync(path.join(copy, "server.json"), JSON.stringify({ ...described, inodes }));
  const before = readFileSync(path.join(copy, "toolbooth.sqlite-wal"));
  await assert.rejects(
    open(copy),
    /^Error: .*-wal is still that of the earlier database.*move .*-wal/,
  );
  assert.deepEqual(readFileSync(path.join(copy, "toolbooth.sqlite-wal")), before);
  rmSync(path.join(copy, "toolbooth.sqlite-wal"));
  await openAndClose(copy);
});

test("a copied folder of a running server serves by itself", async (t) => {
  const dataDir = temporaryFolder(t);
  const store = await open(dataDir);
  store.announce?.("http://127.0.0.1:1");
  await store.close();
  renameSync(dataDir, `${dataDir}-copy`);
  t.after(() => rmSync(`${dataDir}-copy`, { recursive: true }));
  await openAndClose(`${dataDir}-copy`);
});

test("a secret that is deleted while the server runs is written again, unless it is back at the next look", (t) => {
  const dataDir = temporaryFolder(t);
  const said: string[] = [];
  const look = createSecretKeeper(
    dataDir,
    ["a secret of 16 characters", "an earlier secret"],
    (line) => said.push(line),
  );
  const file = path.join(dataDir, "secret");
  look();
  writeFileSync(file, "rotated by an editor, which deletes a file for a moment", { mode: 0o600 });
  look();
  rmSync(file);
  look();
  assert.deepEqual([existsSync(file), said], [false, []]);
  look();
  assert.equal(readFileSync(file, "utf8"), "a secret of 16 characters,an earlier secret\n");
  assert.deepEqual(said, [
    `${file} was deleted while the server was running. The server has written it again.`,
  ]);
  rmSync(dataDir, { recursive: true });
  for (let i = 0; i < 5; i += 1) look();
  assert.equal(said.length, 2);
  assert.match(said[1] ?? "", /cannot be written again: .* Restore it before the server stops/);
});

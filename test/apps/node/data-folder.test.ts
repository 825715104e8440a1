import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "#config/config.ts";
import { databaseFile } from "../../../src/apps/node/data-folder.ts";
import { createSecretKeeper } from "../../../src/apps/node/secret-file.ts";
import { findServer } from "../../../src/apps/node/server-lock.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A server starts on a data folder that no other server uses. */

const open = (dataDir: string) =>
  openNodeStore(readConfig({ DATA_DIR: dataDir }), { onBatch() {}, onCrash() {}, onFault() {} });

async function openAndClose(dataDir: string): Promise<void> {
  await (await open(dataDir)).close();
}

test("a server starts on an empty database", async (t) => {
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

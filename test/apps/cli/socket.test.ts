/** The socket in the data folder, through which commands reach a server. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { listenForCommands } from "#apps/node/operator-socket.ts";
import { lockDataFolder } from "#apps/node/server-lock.ts";
import { socketPathOf } from "#apps/node/socket-path.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { commandLine, ENTRY, temporaryFolder } from "./fixture.ts";

test("a folder or a socket of another user, and a folder that all may write to, are not trusted", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can give a folder away");
  const dataDir = path.join(temporaryFolder(), "data");
  mkdirSync(dataDir);
  const socket = await listenForCommands(dataDir, async () => Response.json({}), assert.fail);
  t.after(() => socket.close());
  const cli = commandLine(dataDir);
  chownSync(dataDir, 12_345, 12_345);
  assert.match(await cli.refused("account list"), /belongs to another user \(uid 12345\).+sudo -u/);
  chownSync(dataDir, 0, 0);
  chownSync(path.join(dataDir, "operator.sock"), 12_345, 12_345);
  assert.match(await cli.refused("account list"), /belongs to another user \(uid 12345\)/);
  chownSync(path.join(dataDir, "operator.sock"), 0, 0);
  chmodSync(dataDir, 0o777);
  assert.match(await cli.refused("account list"), /Every user may write to the data folder/);
  chmodSync(dataDir, 0o755);
  assert.match(await cli.refused("account list"), /has a different version/, "it is trusted now");
  return undefined;
});

test("a command of another user than the server's says whose it must be, and a file that it may not read is not called damaged", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can run a command as another user");
  const parent = temporaryFolder();
  const dataDir = path.join(parent, "data");
  mkdirSync(dataDir);
  for (const folder of [parent, dataDir]) chmodSync(folder, 0o755);
  lockDataFolder(dataDir, Date.now()).release();
  const backup = path.join(parent, "backup.sqlite");
  writeFileSync(backup, "", { mode: 0o600 });
  const own = path.join(parent, "own");
  mkdirSync(own);
  chownSync(own, 12_345, 12_345);
  const runOn = (folder: string, ...words: string[]) =>
    spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ENTRY, ...words], {
      ...{ uid: 12_345, gid: 12_345, cwd: parent, encoding: "utf8" },
      env: { ...bareEnvironment(), DATA_DIR: folder },
    }).stderr;
  const run = (...words: string[]) => runOn(dataDir, ...words);
  const socket = await listenForCommands(dataDir, async () => Response.json({}), assert.fail);
  assert.match(run("account", "list"), /^This user may not open the files of the data folder/);
  await socket.close();
  assert.match(run("account", "list"), /^This user may not open the files of the data folder/);
  assert.match(run("restore", ENTRY), /cannot tell whether a server is running\. Nothing was/);
  assert.match(run("audit", "--file", backup), /^Permission denied/);
  openNodeSqlite(backup).close();
  chmodSync(backup, 0o644);
  assert.match(run("audit", "--file", backup), /cannot be read where it is .+ Copy the file/);
  writeFileSync(`${backup}-wal`, "x");
  assert.match(runOn(own, "restore", backup), /cannot be read where it is .+ Copy the file/);
  return undefined;
});

test("a path that is too long is spelled from the working directory, or fails with a clear sentence", async () => {
  const long = path.join(temporaryFolder(), "d".repeat(90), "data");
  mkdirSync(long, { recursive: true });
  assert.equal(socketPathOf(long), null);
  assert.match(
    await commandLine(long).refused("account list"),
    /^The path of DATA_DIR is too long/,
  );
  const warnings: string[] = [];
  const socket = await listenForCommands(
    long,
    async () => Response.json({}),
    (sentence) => void warnings.push(sentence),
  );
  await socket.close();
  assert.match(
    warnings.join(),
    /^Commands cannot reach this server without --remote\. The path of/,
  );
  assert.deepEqual(readdirSync(long), []);

  const before = process.cwd();
  process.chdir(path.dirname(long));
  try {
    assert.equal(socketPathOf(long), path.join("data", "operator.sock"));
    const near = await listenForCommands(long, async () => Response.json({}), assert.fail);
    assert.match(await commandLine(long).refused("account list"), /has a different version/);
    await near.close();
  } finally {
    process.chdir(before);
  }
});

test("a node that shares its data folder leaves the socket of the other alone", async () => {
  const dataDir = path.join(temporaryFolder(), "data");
  mkdirSync(dataDir);
  const first = await listenForCommands(dataDir, async () => Response.json({}), assert.fail);
  const warnings: string[] = [];
  const second = await listenForCommands(
    dataDir,
    async () => Response.json({}),
    (sentence) => void warnings.push(sentence),
  );
  assert.match(warnings.join(), /Another server listens on/);
  await second.close();
  const socket = connect(path.join(dataDir, "operator.sock"));
  await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
  socket.destroy();
  await first.close();
});

/** The socket in the data folder, through which commands reach a server. */
import assert from "node:assert/strict";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { after, describe, test } from "node:test";
import { listenForCommands } from "#apps/node/operator-socket.ts";
import { socketPathOf } from "#apps/node/socket-path.ts";
import { PROGRAM } from "#command-line.ts";
import { commandLine, commandProcess, startServer, temporaryFolder } from "./fixture.ts";

const HOST = { HOST: "0.0.0.0" };

test("a server makes its socket for its user only, replaces that of a killed one, and removes it", async (t) => {
  const dataDir = path.join(temporaryFolder(), "data");
  const socket = path.join(dataDir, "operator.sock");
  const cli = commandLine(dataDir);
  let server = await startServer(dataDir, HOST);
  t.after(() => server.stop());
  assert.equal(statSync(socket).mode & 0o777, 0o600);
  await cli.json("account create ada@b.co");
  const second = await startServer(dataDir, HOST).catch((error: Error) => error);
  assert.match(String(second), /the server started/, "a second server is refused");
  assert.equal((await cli.json("account list")).accounts.length, 1);

  await server.kill();
  assert.ok(existsSync(socket));
  assert.match(await cli.refused("account list"), /^No server is running on the data folder /);
  server = await startServer(dataDir, HOST);
  assert.equal((await cli.json("account list")).accounts.length, 1);
  await server.stop();
  assert.ok(!existsSync(socket));
  assert.match(await cli.refused("account list"), /^No server is running on the data folder /);
});

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

describe("a folder without a server", () => {
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  after(() => server?.stop());

  test("the first command says in one sentence to start the server, and works after that", async () => {
    const dataDir = path.join(temporaryFolder(), "data");
    const alone = commandProcess(dataDir);
    const early = await alone.run("account create ada@b.co --json");
    assert.equal(early.status, 1);
    assert.deepEqual(JSON.parse(early.stdout), {
      ok: false,
      error: `No server is running on the data folder ${dataDir}. Start one with \`${PROGRAM} start\`, then run the command again.`,
    });
    assert.ok(!existsSync(dataDir));
    server = await startServer(dataDir);
    const { status, stdout } = await alone.run("account create ada@b.co --json");
    assert.equal(status, 0, stdout);
    assert.equal(JSON.parse(stdout).balance, 0);
  });

  test("the public address has no operator API without a token, even on a loopback address", async () => {
    const response = await fetch(`${server?.url}/operator/account/list`, { method: "POST" });
    assert.equal(response.status, 404);
  });
});

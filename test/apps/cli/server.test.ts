/** What the command line does in the life of a server: while it runs, after it was killed, and after it was stopped. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, test } from "node:test";
import { eventually } from "../../http/test-api.ts";
import { afterSuite } from "../../support/after-suite.ts";
import { commandLine, type Json, startServer, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

describe("the command line and a server", () => {
  const folder = temporaryFolder();
  const dataDir = path.join(folder, "data");
  const socket = path.join(dataDir, "operator.sock");
  const copy = path.join(folder, "copy.sqlite");
  const cli = commandLine(dataDir);
  const NO_SERVER = /^No server is running on the data folder /;
  const t = afterSuite();
  let server: Awaited<ReturnType<typeof startServer>>;
  const start = async () => {
    server = await startServer(dataDir, { RATE_LIMIT: "0" }, t);
  };

  before(start);

  test("its socket is for its user only, and its public address has no operator API without a token", async () => {
    await cli.json("account create eve@b.co");
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    const response = await fetch(`${server.url}/operator/account/list`, { method: "POST" });
    assert.equal(response.status, 404);
  });

  test("the next server replaces the socket of one that was killed", async () => {
    await server.kill();
    assert.ok(existsSync(socket));
    assert.match(await cli.refused("account list"), NO_SERVER);
    await start();
    assert.equal((await cli.json("account list")).accounts.length, 2);
  });

  test("changes take effect at the next call", async () => {
    await cli.json("account create ada@b.co --credits 5");
    const { key, id } = await cli.json("key create ada@b.co --label production");
    const other = await cli.json("key create ada@b.co --label staging");
    for (const [line, status, remaining, used = key] of [
      // The first call is free.
      [null, 200, "5"],
      [null, 200, "4"],
      ["credits grant ada@b.co 10", 200, "13"],
      ["account suspend ada@b.co", 403, "13"],
      ["account resume ada@b.co", 200, "12"],
      [`key revoke ${id}`, 401, null],
      [null, 200, "11", other.key],
      ["account close ada@b.co", 401, null, other.key],
    ] as const) {
      if (line !== null) await cli.json(line);
      assert.deepEqual(await server.call(used), { status, remaining }, line ?? "");
    }
  });

  test("commands work during calls, and the ledger always reconciles", async () => {
    await cli.json("account create bob@b.co --credits 100000");
    const { key } = await cli.json("key create bob@b.co --label load");
    let isRunning = true;
    const callers = Array.from({ length: 8 }, async () => {
      while (isRunning) assert.equal((await server.call(key)).status, 200);
    });
    try {
      for (let round = 0; round < 2; round += 1) {
        const [audit] = await Promise.all([
          cli.json("audit"),
          cli.json("credits grant bob@b.co 1"),
        ]);
        assert.deepEqual([audit.ok, audit.faults, audit.damage], [true, [], []]);
      }
      const made = await cli.json(`backup ${copy}`);
      assert.deepEqual([made.ok, made.faults], [true, []]);
      assert.equal(made.bytes, statSync(copy).size);
    } finally {
      isRunning = false;
      await Promise.all(callers);
    }
    const { calls, credits } = await cli.json("report --from 2020-01-01 --to 2090-01-01");
    const { totals } = await cli.json("audit");
    assert.equal(credits, totals.debited);
    assert.equal(calls, credits + 2, "two accounts used their free call");
  });

  test("the server sends the emails that a command queued", async () => {
    const { id } = await cli.json("account create user@b.co");
    const at = new Date().toISOString();
    const file = path.join(dataDir, "toolbooth.sqlite");
    const database = new DatabaseSync(file, { timeout: 600_000 });
    database
      .prepare(
        `INSERT INTO users (id, name, email, emailVerified, createdAt, updatedAt, account)
         VALUES ('p1', '', 'user@b.co', 1, ?, ?, ?)`,
      )
      .run(at, at, id);
    database.close();
    await cli.json("key create user@b.co --label production");
    const outbox = path.join(dataDir, "outbox");
    const emails = () =>
      existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith(".eml")) : [];
    await eventually("it is sent", async () => emails().length > 0);
    const text = readFileSync(path.join(outbox, emails()[0] as string), "utf8");
    assert.match(text, /^To: user@b\.co\r$/m);
  });

  test("restore rejects a running server, and then replaces its data", async () => {
    // Of the request log, whose files the server makes in its own time, restore takes nothing.
    const names = () =>
      readdirSync(dataDir)
        .filter((name) => !name.startsWith("requests."))
        .sort();
    const before = names();
    assert.match(
      await cli.refused(`restore ${copy}`),
      /^A server \(process \d+ on .*, http.*, started .*\) is running on the data folder .*\. Nothing was changed\. Stop it/,
    );
    assert.deepEqual(names(), before);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await server.stop();
    assert.ok(!existsSync(socket));
    assert.match(await cli.refused("account list"), NO_SERVER);

    const { previous } = await cli.json(`restore ${copy}`);
    assert.equal((await cli.json(`audit --file ${dataDir}/toolbooth.sqlite`)).ok, true);
    const restored = await openFolderService({ dataDir });
    const { accounts } = await restored.json("account list");
    assert.deepEqual(accounts.map(({ email }: Json) => email).sort(), [
      "bob@b.co",
      "demo@toolbooth.localhost",
      "eve@b.co",
    ]);
    const replaced = new DatabaseSync(previous, { readOnly: true });
    const count = "SELECT count(*) AS count FROM address";
    assert.equal(replaced.prepare(count).get()?.["count"], 4);
    replaced.close();
    assert.ok(!readdirSync(dataDir).some((name) => name.includes("partial")));
  });
});

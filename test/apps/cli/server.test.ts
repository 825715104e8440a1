import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { commandLine, type Json, startServer, temporaryFolder } from "./fixture.ts";

describe("the command line while a server runs", () => {
  const folder = temporaryFolder();
  const dataDir = path.join(folder, "data");
  const copy = path.join(folder, "copy.sqlite");
  const cli = commandLine(dataDir);
  let server: Awaited<ReturnType<typeof startServer>>;

  before(async () => {
    server = await startServer(dataDir, { RATE_LIMIT: "0" });
  });
  after(() => server.stop());

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
    while (emails().length === 0) await wait(20);
    const text = readFileSync(path.join(outbox, emails()[0] as string), "utf8");
    assert.match(text, /^To: user@b\.co\r$/m);
  });

  test("restore rejects a running server, and then replaces its data", async () => {
    const before = readdirSync(dataDir).sort();
    assert.match(
      await cli.refused(`restore ${copy}`),
      /^A server \(process \d+ on .*, http.*, started .*\) is running on the data folder .*\. Nothing was changed\. Stop it/,
    );
    assert.deepEqual(readdirSync(dataDir).sort(), before);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await server.stop();

    const { previous } = await cli.json(`restore ${copy}`);
    assert.equal((await cli.json(`audit --file ${dataDir}/toolbooth.sqlite`)).ok, true);
    server = await startServer(dataDir, { RATE_LIMIT: "0" });
    const { accounts } = await cli.json("account list");
    assert.deepEqual(
      accounts.map(({ email }: Json) => email),
      ["bob@b.co", "demo@toolbooth.localhost"],
    );
    const replaced = new DatabaseSync(previous, { readOnly: true });
    const count = "SELECT count(*) AS count FROM address";
    assert.equal(replaced.prepare(count).get()?.["count"], 3);
    replaced.close();
    assert.ok(!readdirSync(dataDir).some((name) => name.includes("partial")));
  });
});

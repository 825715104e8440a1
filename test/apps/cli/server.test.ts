import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { commandLine, startServer, temporaryFolder } from "./fixture.ts";

describe("the command line while a server runs", () => {
  const dataDir = path.join(temporaryFolder(), "data");
  const cli = commandLine(dataDir);
  let server: Awaited<ReturnType<typeof startServer>>;
  let key: { id: string; key: string };

  before(async () => {
    server = await startServer(dataDir, { RATE_LIMIT: "0" });
  });
  after(() => server.stop());

  test("a new account and a new key work at once", async () => {
    await cli.json("account create ada@b.c --credits 5");
    key = await cli.json("key create ada@b.c --label production");
    assert.deepEqual(
      await server.call(key.key),
      { status: 200, remaining: "5" },
      "the first call is free",
    );
    assert.deepEqual(await server.call(key.key), { status: 200, remaining: "4" });
    assert.notEqual((await cli.json("key list ada@b.c")).keys[0].lastUsedAt, null);
  });

  test("a grant is available at the next call", async () => {
    await cli.json("credits grant ada@b.c 10");
    assert.deepEqual(await server.call(key.key), { status: 200, remaining: "13" });
    assert.equal((await cli.json("credits show ada@b.c")).balance, 13);
  });

  test("calls of a suspended account get 403 until it is resumed", async () => {
    await cli.json("account suspend ada@b.c");
    assert.equal((await server.call(key.key)).status, 403);
    await cli.json("account resume ada@b.c");
    assert.equal((await server.call(key.key)).status, 200);
  });

  test("calls with a revoked key or of a closed account get 401", async () => {
    const other = await cli.json("key create ada@b.c --label staging");
    await cli.json(`key revoke ${key.id}`);
    assert.equal((await server.call(key.key)).status, 401);
    assert.equal((await server.call(other.key)).status, 200);
    assert.equal((await cli.json("account close ada@b.c")).forfeited, 11);
    assert.equal((await server.call(other.key)).status, 401);
  });

  test("works during calls, and the ledger always reconciles", async () => {
    await cli.json("account create bob@b.c --credits 100000");
    const { key: busy } = await cli.json("key create bob@b.c --label load");
    let running = true;
    let failed = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (running) if ((await server.call(busy)).status !== 200) failed += 1;
    });
    for (let round = 0; round < 2; round += 1) {
      const [audit] = await Promise.all([cli.json("audit"), cli.json("credits grant bob@b.c 1")]);
      assert.deepEqual([audit.ok, audit.faults, audit.damage], [true, [], []]);
    }
    running = false;
    await Promise.all(callers);
    assert.equal(failed, 0);
    const { calls, credits } = await cli.json("report --from 2020-01-01 --to 2090-01-01");
    const { totals } = await cli.json("audit");
    assert.equal(credits, totals.debited);
    assert.equal(calls, credits + 2, "two accounts used their free call");
  });
});

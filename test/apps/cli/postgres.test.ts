import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { type SharedPostgres, sharedPostgres } from "../../support/postgres.ts";
import { commandLine, startServer, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

describe("the command line on PostgreSQL", () => {
  let server: SharedPostgres;
  before(async () => {
    server = await sharedPostgres();
  });

  /** A node on an empty database. On a loopback address it would create a demo account. */
  async function openNode(env: Record<string, string> = {}) {
    const url = await server.createDatabase();
    const dataDir = path.join(temporaryFolder(), "data");
    const node = await startServer(dataDir, { DATABASE_URL: url, HOST: "0.0.0.0", ...env });
    const call = (key: string) => node.call(key);
    return { ...commandLine(dataDir), url, dataDir, stop: node.stop, call, base: node.url };
  }

  async function change(url: string, sql: string): Promise<void> {
    const pool = openPostgresPool(url, { max: 1 });
    await pool.once("write", sql);
    await pool.close();
  }

  test("audit finds what does not reconcile and what PostgreSQL knows of damage, and backup says what to use", async () => {
    const cli = await openNode();
    await cli.json("account create ada@b.co --credits 5");
    await change(cli.url, "UPDATE credit_grant SET remaining = 4");
    await change(
      cli.url,
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'credit_grant_by_end'::regclass",
    );
    const { ok, faults, damage } = await cli.failed("audit");
    assert.equal(ok, false);
    assert.match(faults[0], /5 credits were granted, but 4 are accounted for/);
    assert.deepEqual(damage, ["the index credit_grant_by_end is invalid"]);
    assert.match(
      await cli.refused(`backup ${temporaryFolder()}/copy`),
      /Back up PostgreSQL with its own tools: pg_dump .*docs\/backup\.md/,
    );
    await cli.stop();
  });

  test("a ledger moves from a data folder to PostgreSQL and back byte for byte, and its keys work", async () => {
    const folder = temporaryFolder();
    const here = await openFolderService({ dataDir: path.join(folder, "data") });
    await here.json("account create ada@b.co --credits 5");
    const { key } = await here.json("key create ada@b.co --label l");
    const file = path.join(folder, "here.jsonl");
    await here.json(`export ${file}`);
    const cli = await openNode({ SECRET: here.secrets.join(",") });
    const missing = path.join(folder, "none.jsonl");
    assert.match(await cli.refused(`import ${missing}`), /does not exist/);
    // One that fails leaves the service as it was.
    await cli.json(`import ${file}`);
    assert.match(
      (await cli.run(`import ${file}`)).stderr,
      /Skipped 1 account: an earlier run of this command imported it/,
    );
    const there = path.join(folder, "there.jsonl");
    await cli.json(`export ${there}`);
    assert.equal(readFileSync(there, "utf8"), readFileSync(file, "utf8"));
    const node = { call: (used: string) => cli.call(used) };
    assert.deepEqual(await node.call(key), { status: 200, remaining: "5" });
    // Changes take effect at the next call.
    await cli.json("account suspend ada@b.co");
    assert.equal((await node.call(key)).status, 403);
    await cli.json("account resume ada@b.co");
    assert.equal((await cli.json("credits grant ada@b.co 7 --id bonus")).balance, 12);
    assert.deepEqual(await node.call(key), { status: 200, remaining: "11" });
    await cli.json(`export ${there} --force --with-secret`);
    await cli.stop();
    const back = await openFolderService({ dataDir: path.join(folder, "back") });
    await back.json(`import ${there}`);
    const again = path.join(folder, "again.jsonl");
    await back.json(`export ${again}`);
    assert.equal(readFileSync(again, "utf8"), readFileSync(there, "utf8"));
    assert.equal((await back.json("audit")).ok, true);
  });
});

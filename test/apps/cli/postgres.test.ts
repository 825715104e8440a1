import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { type SharedPostgres, sharedPostgres } from "../../support/postgres.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";
import { commandLine, commandProcess, startServer, temporaryFolder } from "./fixture.ts";

describe("the command line on PostgreSQL", () => {
  let server: SharedPostgres;
  before(async () => {
    server = await sharedPostgres();
  });

  /** A data folder that must stay empty, and an empty database. */
  const DATA_DIR = path.join(temporaryFolder(), "none");
  const on = (url: string, env: Record<string, string> = {}) =>
    commandLine(DATA_DIR, { DATABASE_URL: url, ...env });
  const alone = (url: string) => commandProcess(DATA_DIR, { DATABASE_URL: url });

  async function change(url: string, sql: string): Promise<void> {
    const pool = openPostgresPool(url, { max: 1 });
    await pool.once("write", sql);
    await pool.close();
  }

  test("reports no data in an empty database until a command creates the tables, and audit finds what does not reconcile", async () => {
    const url = await server.createDatabase();
    const cli = on(url);
    assert.match(
      await cli.refused("account list"),
      /^There is no data in the database toolbooth_\w+ on 127\.0\.0\.1\. Set DATABASE_URL to the nodes' database\. To create data, start/,
    );
    const { balance } = await cli.json("account create ada@b.c --credits 5");
    assert.equal(balance, 5);
    assert.match((await cli.json("key create ada@b.c --label l")).key, /^tb_/);
    await change(url, "UPDATE credit_grant SET remaining = 4");
    await change(
      url,
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'credit_grant_by_end'::regclass",
    );
    const { ok, faults, damage } = await cli.failed("audit");
    assert.equal(ok, false);
    assert.match(faults[0], /5 credits were granted, but 4 are accounted for/);
    assert.deepEqual(damage, ["the index credit_grant_by_end is invalid"]);
  });

  test("a ledger moves from a data folder to PostgreSQL and back byte for byte, and its keys work", async (t) => {
    const folder = temporaryFolder();
    const here = commandLine(path.join(folder, "data"));
    await here.json("account create ada@b.c --credits 5");
    const { key } = await here.json("key create ada@b.c --label l");
    const file = path.join(folder, "here.jsonl");
    await here.json(`export ${file} --with-secret`);
    const url = await server.createDatabase();
    const cli = on(url);
    assert.equal((await cli.json(`import ${file}`)).secretIncluded, true);
    assert.match(
      await cli.refused(`import ${file}`),
      /is not empty, and an import never merges ledgers\. Set DATABASE_URL to an empty database\.$/,
    );
    const node = await startServer(DATA_DIR, { DATABASE_URL: url });
    t.after(() => node.stop());
    const there = path.join(folder, "there.jsonl");
    await cli.json(`export ${there} --with-secret`);
    assert.equal(readFileSync(there, "utf8"), readFileSync(file, "utf8"));
    assert.deepEqual(await node.call(key), { status: 200, remaining: "5" });
    // Changes take effect at the next call.
    await cli.json("account suspend ada@b.c");
    assert.equal((await node.call(key)).status, 403);
    await cli.json("account resume ada@b.c");
    assert.equal((await cli.json("credits grant ada@b.c 7 --id bonus")).balance, 12);
    assert.deepEqual(await node.call(key), { status: 200, remaining: "11" });
    const { stdout } = await alone(url).run("export --with-secret");
    writeFileSync(there, stdout);
    const back = commandLine(path.join(folder, "back"));
    await back.json(`import ${there}`);
    const again = path.join(folder, "again.jsonl");
    await back.json(`export ${again} --with-secret`);
    assert.equal(readFileSync(again, "utf8"), stdout);
  });

  test("invalid lines leave the ledger empty", async () => {
    const cli = on(await server.createDatabase());
    const file = path.join(temporaryFolder(), "bad.jsonl");
    writeFileSync(file, '{"record":"header","format":"toolbooth-ledger","version":1}\n');
    assert.match(
      await cli.refused(`import ${file}`),
      /ends after line 1 without a trailer.*Nothing was imported\.$/,
    );
    assert.equal((await cli.json("audit")).accounts, 0);
  });

  test("key create requires SECRET if the fleet has it", async () => {
    const url = await server.createDatabase();
    const secret = "s".repeat(43);
    await on(url, { SECRET: secret }).json("account create ada@b.c");
    assert.match(
      await on(url).refused("key create ada@b.c --label l"),
      /There is no secret in the database .*, so the server has the setting SECRET\. Set SECRET/,
    );
    assert.match(
      (await on(url, { SECRET: secret }).json("key create ada@b.c --label l")).key,
      /^tb_/,
    );
  });

  test("backup and restore say what to use instead", async () => {
    const cli = on(server.url("none"));
    for (const line of ["backup copy.sqlite", "restore copy.sqlite"])
      assert.match(
        await cli.refused(line),
        /a data folder\. Back up PostgreSQL with its own tools: pg_dump .*docs\/backup\.md/,
      );
  });

  test("explains a database that cannot be used without showing the password", async () => {
    const url = new URL(await server.createDatabase());
    url.password = "hush-hush";
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url);
      change(other);
      return other.href;
    };
    const network = await openNetwork(server.port);
    after(() => network.close());
    network.loseCommits(1);
    for (const [url, sentence] of [
      [
        changed((other) => {
          other.pathname = "/nothing";
        }),
        /does not exist \(.*\)\. Create it with createdb\.$/,
      ],
      [
        changed((other) => {
          other.username = "nobody";
        }),
        /rejects this user .* Check the user and password/,
      ],
      [
        changed((other) => {
          other.port = "1";
        }),
        /does not respond at the address in DATABASE_URL/,
      ],
      [
        changed((other) => {
          other.port = String(network.port);
        }),
        /does not respond at the address|was lost, so the last step/,
      ],
    ] as const) {
      const message = await on(url).refused("account list");
      assert.match(message, sentence);
      assert.doesNotMatch(message, /hush|postgres:\/\//);
    }
    assert.equal(network.lost(), 1);
    await network.close();
    const bad = await on("postgres://u:hush-hush@/").refused("account list");
    assert.match(bad, /DATABASE_URL must look like/);
    assert.doesNotMatch(bad, /hush/);
  });

  test("leaves the data folder empty", () => {
    assert.throws(() => readdirSync(path.join(DATA_DIR, "toolbooth.sqlite")), { code: "ENOENT" });
  });
});

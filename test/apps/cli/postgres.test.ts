import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";
import { commandLine, commandProcess, startServer, temporaryFolder } from "./fixture.ts";

describe("the command line on PostgreSQL", () => {
  let server: Postgres;
  before(async () => {
    server = await startPostgres({ fsync: "off", full_page_writes: "off" });
  });
  after(() => server.dispose());

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

  test("reports no data in an empty database until account create creates the tables", async () => {
    const url = await server.createDatabase();
    const cli = on(url);
    for (const line of ["account list", "export"]) {
      const { status, stderr } = await alone(url).run(line);
      assert.equal(status, 1);
      assert.match(
        stderr,
        /^There is no data in the database toolbooth_\d+ on 127\.0\.0\.1\. Set DATABASE_URL to the nodes' database\. To create data, start/,
      );
    }
    const { balance } = await cli.json("account create ada@b.c --credits 5");
    assert.equal(balance, 5);
    const { accounts } = await cli.json("account list");
    assert.deepEqual(
      accounts.map(({ email }: { email: string }) => email),
      ["ada@b.c"],
    );
    assert.match((await cli.json("key create ada@b.c --label l")).key, /^tb_/);
  });

  test("changes take effect at the next call on every node", async (t) => {
    const url = await server.createDatabase();
    const cli = on(url);
    await cli.json("account create ada@b.c --credits 5");
    const { key, id } = await cli.json("key create ada@b.c --label production");
    const nodes = await Promise.all([1, 2].map(() => startServer(DATA_DIR, { DATABASE_URL: url })));
    t.after(() => Promise.all(nodes.map((node) => node.stop())));
    const call = () => Promise.all(nodes.map(async (node) => (await node.call(key)).status));
    assert.deepEqual(await call(), [200, 200]);
    await cli.json("account suspend ada@b.c");
    assert.deepEqual(await call(), [403, 403]);
    await cli.json("account resume ada@b.c");
    assert.deepEqual(await call(), [200, 200]);
    assert.equal((await cli.json("credits grant ada@b.c 7 --id bonus")).balance, 9);
    const today = new Date().toISOString().slice(0, 10);
    const { calls, grants } = await cli.json(`report --from 2026-01-01 --to ${today}`);
    assert.deepEqual([calls, grants.length], [4, 2]);
    assert.equal((await cli.json("key list ada@b.c")).keys[0].id, id);
    await cli.json(`key revoke ${id}`);
    assert.deepEqual(await call(), [401, 401]);
    const { ok, totals, damage } = await cli.json("audit");
    assert.deepEqual([ok, totals.debited, totals.remaining, damage], [true, 3, 9, []]);
    assert.equal((await cli.json("account close ada@b.c")).forfeited, 9);
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
    const { stdout } = await alone(url).run("export --with-secret");
    const back = commandProcess(path.join(folder, "back"));
    assert.equal((await back.run("import", { input: stdout })).status, 0);
    assert.equal((await back.run("export --with-secret")).stdout, stdout);
    assert.deepEqual(readdirSync(folder).sort(), ["back", "data", "here.jsonl", "there.jsonl"]);
  });

  test("invalid lines leave the ledger empty", async () => {
    const url = await server.createDatabase();
    const header = '{"record":"header","format":"toolbooth-ledger","version":1}\n';
    const { status, stdout } = await alone(url).run("import --json", { input: header });
    assert.equal(status, 1);
    assert.match(
      JSON.parse(stdout).error,
      /ends after line 1 without a trailer.*Nothing was imported\.$/,
    );
    assert.equal((await on(url).json("audit")).accounts, 0);
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

  test("audit finds a ledger that does not reconcile and an invalid index", async () => {
    const url = await server.createDatabase();
    const cli = on(url);
    await cli.json("account create ada@b.c --credits 5");
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

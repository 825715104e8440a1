import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { before, describe, test } from "node:test";
import { readConfig } from "#config/config.ts";
import { MIGRATIONS, migratePostgres, UnfitDatabase } from "#stores/postgres/migrate.ts";
import { openPostgresPool, type PostgresPool as Pool } from "#stores/postgres/pool.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { StartupDatabaseError } from "../../../../src/apps/node/database-startup.ts";
import { openNodeStore } from "../../../../src/apps/node/store.ts";
import { runServer, temporaryFolder } from "../../../http/server-process.ts";
import { copyFolder, type Postgres, startPostgres } from "../../../support/postgres.ts";
import { eventually, ownServer } from "./fixture.ts";

/** How a node starts on PostgreSQL, and what it reports if it cannot. */
const PASSWORD = "opensesame";
let server: Postgres;

describe("a node that starts on PostgreSQL", () => {
  before(async () => {
    ({ server } = await ownServer());
    await ask(
      "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'",
      "CREATE DATABASE fine",
      "CREATE DATABASE shut ALLOW_CONNECTIONS false",
      "CREATE DATABASE crowded CONNECTION LIMIT 0",
      `CREATE ROLE weak LOGIN PASSWORD '${PASSWORD}'`,
      "CREATE ROLE reader LOGIN",
      "ALTER ROLE reader SET default_transaction_read_only = on",
    );
    const hba = path.join(server.folder, "pg_hba.conf");
    const rules = ["weak 127.0.0.1/32 scram-sha-256", "turned_away 127.0.0.1/32 reject"];
    const lines = rules.map((rule) => `host all ${rule}\n`).join("");
    writeFileSync(hba, lines + readFileSync(hba, "utf8"));
    await server.stop();
    await server.start();
  });

  async function ask(...statements: string[]): Promise<void> {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: server.url("postgres") });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  }

  /** As a node opens it. */
  const open = (url: string) =>
    openNodeStore(readConfig({ DATABASE_URL: url }), {
      onBatch() {},
      onCrash() {},
      onFault() {},
      onWal() {},
    });

  /** The message of a node that cannot start. It never contains the URL. */
  async function saidOf(url: string): Promise<string> {
    let said = "";
    await assert.rejects(open(url), (error) => {
      assert.ok(error instanceof StartupDatabaseError, String(error));
      said = error.message;
      return true;
    });
    assert.doesNotMatch(said, /postgres(?:ql)?:\/\/(?!user:password@)/);
    assert.doesNotMatch(said, new RegExp(`${PASSWORD}|hunter2`));
    assert.match(said, /^[A-Z][^\n]+\.$|createdb [^\n]+$/, "plain sentences on one line");
    return said;
  }

  const at = (user: string, database: string) =>
    `postgres://${user}@127.0.0.1:${server.port}/${database}`;

  /** The fault, the URL and the message. */
  const FAULTS: [string, () => string, RegExp][] = [
    [
      "a database in LATIN1",
      () => server.url("latin"),
      /encoding LATIN1.+createdb --encoding UTF8/,
    ],
    [
      "no such database",
      () => server.url("nothing"),
      /does not exist \(.+\)\. Create it with createdb/,
    ],
    ["a shut database", () => server.url("shut"), /does not accept connections/],
    ["a crowded database", () => at(`weak:${PASSWORD}`, "crowded"), /no free connection/],
    ["a wrong password", () => at("weak:hunter2", "fine"), /rejects this user/],
    ["no password", () => at("weak", "fine"), /DATABASE_URL has none/],
    ["no such user", () => at("stranger:hunter2", "fine"), /role "stranger" does not exist/],
    ["a user whom pg_hba.conf turns away", () => at("turned_away", "fine"), /pg_hba\.conf/],
    ["a user without rights", () => at(`weak:${PASSWORD}`, "fine"), /Make it the owner/],
    ["no TLS", () => `${at("weak:hunter2", "fine")}?ssl=true`, /does not support it/],
    [
      "an unknown host",
      () => "postgres://u:hunter2@nowhere.invalid/db",
      /host .+ cannot be resolved/,
    ],
    ["nobody at the address", () => "postgres://u:hunter2@127.0.0.1:1/db", /does not respond/],
  ];
  for (const [what, url, sentence] of FAULTS) {
    test(`a node that finds ${what} says what to do`, async () => {
      assert.match(await saidOf(url()), sentence);
    });
  }

  test("a node gives up with a message if PostgreSQL accepts the connection but does not respond", async (t) => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    t.after(() => silent.close());
    const { port } = silent.address() as { port: number };
    assert.match(await saidOf(`postgres://u:hunter2@127.0.0.1:${port}/db`), /does not respond/);
  });

  test("a node does not start on a standby, and asks for the primary", async (t) => {
    await server.stop();
    const standby = await startPostgres(
      {},
      {
        folder: copyFolder(server.folder, "standby.signal"),
      },
    );
    t.after(() => standby.dispose());
    await server.start();
    assert.match(await saidOf(standby.url("fine")), /is a standby.+Use the primary/);
  });

  test("a node does not start with a read-only user", async () => {
    assert.match(await saidOf(at("reader", "fine")), /Make it the owner|is read-only/);
  });

  test("an older node rejects a newer schema with one sentence and exit code 1, and does not change it", async (t) => {
    const url = await server.createDatabase();
    const pool = openPostgresPool(url, { max: 1 });
    t.after(() => pool.close());
    await migratePostgres(pool);
    await pool.once("write", "INSERT INTO schema_migration VALUES (99, 'later', '', 99, 0)");
    const { code, written } = await runServer(t, {
      DATABASE_URL: url,
      DATA_DIR: temporaryFolder(t),
    });
    assert.equal(code, 1);
    assert.match(
      written,
      /^PostgreSQL: The data has schema version 99, but .+ only up to \d+\. .+\n$/,
    );
    const rows = await pool.once("read", "SELECT version FROM schema_migration ORDER BY version");
    assert.deepEqual(rows.at(-1), { version: 99 });
    assert.equal(await findSecret(pool), null, "nothing was made");
  });

  test("eight nodes that start at once on an empty database migrate it once, and share one secret with a later node", async () => {
    const url = await server.createDatabase();
    const nodes = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    const secrets = new Set(nodes.map(({ secrets }) => secrets.join()));
    assert.equal(secrets.size, 1);
    assert.match([...secrets][0] as string, /^[0-9A-Za-z]{43}$/);
    await Promise.all(nodes.map((node) => node.close()));
    const later = await open(url);
    assert.deepEqual(later.secrets, nodes[0]?.secrets);
    await later.close();
    const pool = openPostgresPool(url, { max: 1 });
    const days = await pool.once<{ name: string }>(
      "read",
      "SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'debit'::regclass",
    );
    const versions = await pool.once("read", "SELECT version FROM schema_migration");
    await pool.close();
    assert.equal(versions.length, MIGRATIONS.length);
    // Today, the next three days and the table for all others; one more if midnight came in between.
    assert.ok([5, 6].includes(days.length), JSON.stringify(days));
  });

  test("a node does not start on a server that is too old, and says which version it needs", async (t) => {
    const pool = openPostgresPool(server.url("fine"), { max: 1 });
    t.after(() => pool.close());
    const asked: string[] = [];
    const older: typeof pool = {
      ...pool,
      transaction: (mode, body) =>
        pool.transaction(mode, (query) =>
          body(async <Row>(sql: string, values?: Parameters<typeof query>[1]) => {
            asked.push(sql);
            const told = sql.replace("current_setting('server_version_num')", "'170006'");
            return query<Row>(told.replace("current_setting('server_version')", "'17.6'"), values);
          }),
        ),
    };
    await assert.rejects(migratePostgres(older), (error) => {
      assert.ok(error instanceof UnfitDatabase);
      assert.match(
        error.message,
        /^The PostgreSQL server has version 17\.6, but Toolbooth needs version 18 or newer\. Upgrade/,
      );
      return true;
    });
    assert.equal(asked.length, 1, "nothing was made");
  });

  test("a migration waits for a lock in short attempts, between which calls run, and fails with a clear message", async (t) => {
    const url = await server.createDatabase();
    const pools = [1, 2, 3].map(() => openPostgresPool(url, { max: 1 }));
    t.after(() => Promise.all(pools.map((pool) => pool.close())));
    const [migrating, reading, calling] = pools as [Pool, Pool, Pool];
    await migratePostgres(calling);
    const sql = "ALTER TABLE debit ADD COLUMN more text";
    const migrations = [...MIGRATIONS, { name: "add-more", sql, readableFrom: 1 }];
    let migrated = false;
    let underWay: Promise<void> = Promise.resolve();
    await reading.transaction("report", async (query) => {
      await query("SELECT count(*) FROM debit");
      await assert.rejects(migratePostgres(migrating, { migrations, tries: 1 }), (error) => {
        assert.ok(error instanceof UnfitDatabase);
        assert.match(
          error.message,
          /^Another session holds a lock on a table .+ start the node again\.$/,
        );
        return true;
      });
      underWay = migratePostgres(migrating, { migrations }).then(() => {
        migrated = true;
      });
      // A statement that queues for the table behind the migration.
      const probe = "INSERT INTO debit VALUES (1, $1, 'call', 1, 'hash', 0, 0)";
      for (let call = 0; call < 20; call += 1) {
        // One that collides with an attempt succeeds before the next.
        await eventually(() => calling.once("batch", probe, [call]));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal(migrated, false);
    });
    await underWay;
    const [row] = await calling.once("read", "SELECT count(*), count(more) AS more FROM debit");
    assert.deepEqual(row, { count: 20, more: 0 });
  });
});

#!/usr/bin/env bash
# Migrations named by their number, 8_, 9_ and then 10_. In a database that has grown, 8_ and 9_ have run when 10_ is added; a new one runs all three. PostgreSQL 18 (PGlite 0.5.14), five tools.
# Expected: 10_ runs in the first, and the new one runs 8_, 9_, 10_, so that both have one schema.
# Seen on 2026-11-29: knex 3.3.0 and umzug 3.8.3 run 10_ in the grown database, as it should be, and in a new one 10_ before the others, since they sort names as text: what works in production fails, or makes another
# schema, in tests and for the next customer. kysely 0.29.9 sorts as text too, and refuses 10_ in the grown database. node-pg-migrate 9.0.0 and postgrator 8.0.0 sort by number.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 knex@3.3.0 umzug@3.8.3 kysely@0.29.9 \
  node-pg-migrate@9.0.0 postgrator@8.0.0
cat > seen.mjs <<'JS'
import * as fs from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import Knex from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { FileMigrationProvider, Migrator } from "kysely/migration";
import { runner } from "node-pg-migrate";
import pg from "pg";
import Postgrator from "postgrator";
import { Umzug } from "umzug";
const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const tools = {
  knex: async (directory) => {
    const knex = Knex({ client: "pg", connection: address, pool: { min: 0, max: 1 } });
    return knex.migrate.latest({ directory, loadExtensions: [".mjs"] }).then(([, names]) => names).finally(() => knex.destroy());
  },
  umzug: async (folder, done) => {
    const resolve = ({ name, path: file }) => ({ name, up: async () => (await import(path.resolve(file))).up() });
    const storage = { executed: async () => [...done], logMigration: async ({ name }) => done.add(name), unlogMigration: async () => {} };
    return (await new Umzug({ migrations: { glob: `${folder}/*.mjs`, resolve }, storage, logger: undefined }).up()).map(({ name }) => name);
  },
  kysely: async (folder) => {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 1 }) }) });
    const provider = new FileMigrationProvider({ fs, path, migrationFolder: path.resolve(folder), import: (file) => import(file) });
    const { error, results } = await new Migrator({ db, provider }).migrateToLatest().finally(() => db.destroy());
    return error === undefined ? results.map(({ migrationName }) => migrationName) : ["an error"];
  },
  "node-pg-migrate": async (dir) => {
    const dbClient = new pg.Client(address);
    await dbClient.connect();
    return runner({ dbClient, dir, direction: "up", migrationsTable: "migrations", log() {}, noLock: true }).then((all) => all.map(({ name }) => name)).finally(() => dbClient.end());
  },
  postgrator: async (folder) => {
    const client = new pg.Client(address);
    await client.connect();
    const postgrator = new Postgrator({ migrationPattern: `${path.resolve(folder)}/*.sql`, driver: "pg", database: "postgres", schemaTable: "versions", execQuery: (query) => client.query(query) });
    return postgrator.migrate().then((all) => all.map(({ version }) => version)).finally(() => client.end());
  },
};
const add = async (folder, number) => {
  await fs.writeFile(`${folder}/${number}_.mjs`, "export const up = async () => {};\nexport const down = async () => {};\n");
  await fs.writeFile(`${folder}/${number}.do.sql`, "SELECT 1;");
};
for (const [name, run] of Object.entries(tools)) {
  const seen = [];
  for (const steps of [[[8, 9], [10]], [[8, 9, 10]]]) {
    await db.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const folder = await fs.mkdtemp("migrations-");
    const kept = name === "postgrator" ? ".mjs" : ".sql";
    const done = new Set();
    for (const step of steps) {
      for (const number of step) {
        await add(folder, number);
        await fs.rm((await fs.readdir(folder)).filter((file) => file.endsWith(kept)).map((file) => `${folder}/${file}`)[0]);
      }
      const names = await run(folder, done);
      seen.push(`${steps.length === 1 ? "new" : "grown"} ${names.map((each) => String(each).match(/\d+|an error/)[0]).join(" ")}`);
      await setTimeout(300);
    }
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'knex: grown 8 9, grown 10, new 10 8 9
umzug: grown 8 9, grown 10, new 10 8 9
kysely: grown 8 9, grown an error, new 10 8 9
node-pg-migrate: grown 8 9, grown 10, new 8 9 10
postgrator: grown 8 9, grown 10, new 8 9 10' ]

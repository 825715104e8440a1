/** The operator's commands in process on SQLite and PostgreSQL, and over HTTP to a Node server and the edge. */
import { userInfo } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import pg from "pg";
import { databaseFile, makeFolder } from "#apps/node/data-folder.ts";
import { openReversalFile, reversalFile } from "#apps/node/reversals.ts";
import { testOperatorCommands } from "../../contract/operator-commands.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { startServer, temporaryFolder } from "./fixture.ts";

const TOKEN = "d".repeat(40);

const here = (env: Record<string, string>) => ({
  ...{ env, by: userInfo().username, isOverNetwork: false },
});
const overNetwork = (url: string) => ({
  // Commands over the network use no data folder.
  env: { DATA_DIR: "/nowhere", "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN },
  ...{ by: "deploy", isOverNetwork: true },
});
const SETTINGS = { TOOLBOOTH_OPERATOR_TOKEN: `deploy:${TOKEN}` };

const runIn = (file: string) => async (sql: string) => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};
/** Creates the file of reversals first, which a node creates only when it needs it. */
const ofReversals = (dataDir: string) => (sql: string) => {
  makeFolder(dataDir);
  openReversalFile(reversalFile(dataDir)).close();
  return runIn(reversalFile(dataDir))(sql);
};
const ofDataFolder = (dataDir: string) => ({
  jobs: runIn(databaseFile(dataDir)),
  reversals: ofReversals(dataDir),
});

testOperatorCommands("in process on SQLite", async () => {
  const DATA_DIR = path.join(temporaryFolder(), "data");
  return { ...here({ DATA_DIR }), ...ofDataFolder(DATA_DIR) };
});

testOperatorCommands("in process on PostgreSQL", async () => {
  const DATA_DIR = temporaryFolder();
  const DATABASE_URL = await (await sharedPostgres()).createDatabase();
  const jobs = async (sql: string) => {
    const client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  return { ...here({ DATA_DIR, DATABASE_URL }), jobs, reversals: ofReversals(DATA_DIR) };
});

testOperatorCommands("over HTTP to a Node server", async () => {
  const dataDir = path.join(temporaryFolder(), "data");
  // On a loopback address the first start would create a demo account.
  const server = await startServer(dataDir, { HOST: "0.0.0.0", ...SETTINGS });
  after(() => server.stop());
  return {
    ...overNetwork(server.url.replace("0.0.0.0", "127.0.0.1")),
    ...ofDataFolder(dataDir),
  };
});

testOperatorCommands("over HTTP to the edge", async () => {
  const site = await openEdgeSite({ after }, { texts: { ...SETTINGS, RATE_LIMIT: "0" } });
  const jobs = (sql: string) => site.sql(sql);
  return { ...overNetwork(site.base), jobs, reversals: jobs };
});

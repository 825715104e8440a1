/** The operator's commands through the socket of a server on SQLite, and over the network to a node on PostgreSQL and to the edge. */
import { userInfo } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import pg from "pg";
import { databaseFile, makeFolder } from "#apps/node/data-folder.ts";
import { openReversalFile, reversalFile } from "#apps/node/reversals.ts";
import { testOperatorCommands } from "../../contract/operator-commands.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { startServer, temporaryFolder } from "./fixture.ts";

const TOKEN = "d".repeat(40);
const SETTINGS = { TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
const by = userInfo().username;

const overNetwork = (url: string) => ({
  // Commands over the network use no data folder.
  env: { DATA_DIR: "/nowhere", "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN },
  ...{ by, isOverNetwork: true },
});
/** On a loopback address the first start would create a demo account. */
const HOST = "0.0.0.0";

const runIn = (file: string) => async (sql: string) => {
  const database = new DatabaseSync(file, { timeout: HANGS_MS });
  database.exec(sql);
  database.close();
};
/** Creates the file of reversals first, which a node creates only when it needs it. */
const ofReversals = (dataDir: string) => (sql: string) => {
  makeFolder(dataDir);
  openReversalFile(reversalFile(dataDir)).close();
  return runIn(reversalFile(dataDir))(sql);
};

testOperatorCommands("through the socket to a server on SQLite", async () => {
  const DATA_DIR = path.join(temporaryFolder(), "data");
  await startServer(DATA_DIR, { HOST });
  return {
    ...{ env: { DATA_DIR }, by, isOverNetwork: false, isWhole: true },
    ...{ jobs: runIn(databaseFile(DATA_DIR)), reversals: ofReversals(DATA_DIR) },
  };
});

testOperatorCommands("over the network to a node on PostgreSQL", async () => {
  const DATA_DIR = temporaryFolder();
  const DATABASE_URL = await (await sharedPostgres()).createDatabase();
  const server = await startServer(DATA_DIR, { DATABASE_URL, HOST, ...SETTINGS });
  const jobs = async (sql: string) => {
    const client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  return {
    ...overNetwork(server.url.replace("0.0.0.0", "127.0.0.1")),
    ...{ jobs, reversals: ofReversals(DATA_DIR), isWhole: true },
  };
});

testOperatorCommands("over the network to the edge", async () => {
  const site = await openEdgeSite({ after }, { texts: { ...SETTINGS, RATE_LIMIT: "0" } });
  const jobs = (sql: string) => site.sql(sql);
  return { ...overNetwork(site.base), jobs, reversals: jobs, isWhole: false };
});

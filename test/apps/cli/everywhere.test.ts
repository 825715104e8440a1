/** The operator's commands in process on SQLite and PostgreSQL, and over HTTP to a Node server, a fleet and the edge. */
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { databaseFile, makeFolder } from "#apps/node/data-folder.ts";
import { openReversalFile, reversalFile } from "#apps/node/reversals.ts";
import { testOperatorCommands } from "../../contract/operator-commands.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { drawSample } from "../../support/sample.ts";
import { runHere } from "../node/run-command.ts";
import { startServer, temporaryFolder } from "./fixture.ts";

const TOKENS = { ada: "a".repeat(40), deploy: "d".repeat(40) };
const SETTING = `ada:${TOKENS.ada},deploy:${TOKENS.deploy}`;
/** A data folder that commands over the network must never use. */
const NOWHERE = path.join(temporaryFolder(), "nowhere");

const remote = (url: string, token = TOKENS.deploy) => ({
  DATA_DIR: NOWHERE,
  "--remote": url,
  TOOLBOOTH_OPERATOR_TOKEN: token,
});
const overNetwork = (url: string) => ({ env: remote(url), by: "deploy", isOverNetwork: true });

const runIn = (file: string) => async (sql: string) => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};
const runInPostgres = (url: string) => async (sql: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
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

async function startNode(
  env: Record<string, string> = {},
  dataDir = path.join(temporaryFolder(), "data"),
): Promise<string> {
  const server = await startServer(dataDir, {
    // On a loopback address the first start would create a demo account.
    HOST: "0.0.0.0",
    TOOLBOOTH_OPERATOR_TOKEN: SETTING,
    ...env,
  });
  after(() => server.stop());
  return server.url.replace("0.0.0.0", "127.0.0.1");
}

describe("the operator's commands", { concurrency: 1 }, () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres({ fsync: "off", full_page_writes: "off" });
  });
  after(() => postgres.dispose());

  const here = (env: Record<string, string>) => ({
    env,
    by: userInfo().username,
    isOverNetwork: false,
  });
  testOperatorCommands("in process on SQLite", async () => {
    const DATA_DIR = path.join(temporaryFolder(), "data");
    return { ...here({ DATA_DIR }), ...ofDataFolder(DATA_DIR) };
  });
  testOperatorCommands("in process on PostgreSQL", async () => {
    const DATA_DIR = temporaryFolder();
    const DATABASE_URL = await postgres.createDatabase();
    const [jobs, reversals] = [runInPostgres(DATABASE_URL), ofReversals(DATA_DIR)];
    return { ...here({ DATA_DIR, DATABASE_URL }), jobs, reversals };
  });
  const services: [name: string, open: Parameters<typeof testOperatorCommands>[1]][] = [
    [
      "a Node server",
      async () => {
        const dataDir = path.join(temporaryFolder(), "data");
        return { ...overNetwork(await startNode({}, dataDir)), ...ofDataFolder(dataDir) };
      },
    ],
    [
      "a fleet",
      async () => {
        const DATABASE_URL = await postgres.createDatabase();
        const dataDir = path.join(temporaryFolder(), "data");
        const [first = ""] = await Promise.all([
          startNode({ DATABASE_URL }, dataDir),
          startNode({ DATABASE_URL }),
        ]);
        const [jobs, reversals] = [runInPostgres(DATABASE_URL), ofReversals(dataDir)];
        return { ...overNetwork(first), jobs, reversals };
      },
    ],
    [
      "the edge",
      async () => {
        const site = await openEdgeSite(
          { after },
          { texts: { TOOLBOOTH_OPERATOR_TOKEN: SETTING, RATE_LIMIT: "0" } },
        );
        const jobs = (sql: string) => site.sql(sql);
        return { ...overNetwork(site.base), jobs, reversals: jobs };
      },
    ],
  ];
  for (const [name, open] of drawSample(
    "services over HTTP",
    services,
    1,
    process.env["TEST_STORES"] === "all",
  ))
    testOperatorCommands(`over HTTP to ${name}`, open);

  test("several tokens work at the same time, actions name the token, and every node lists the actions of all nodes", async () => {
    const DATABASE_URL = await postgres.createDatabase();
    const [one = "", other = ""] = await Promise.all([1, 2].map(() => startNode({ DATABASE_URL })));
    await runHere("account create ada@b.c", remote(one, TOKENS.ada));
    await runHere("account create bob@b.c", remote(other, TOKENS.deploy));
    await runHere("account create cid@b.c", { DATA_DIR: NOWHERE, DATABASE_URL });
    const { actions } = (await runHere("actions", remote(one))).json;
    assert.deepEqual(
      actions.map(({ by }: { by: string }) => by),
      [userInfo().username, "deploy", "ada"],
    );
    // The command line uses the first token of the setting, which matters while a token is replaced.
    const both = { TOOLBOOTH_OPERATOR_TOKEN: `old:${"o".repeat(40)},${SETTING}` };
    await assert.rejects(runHere("actions", { ...remote(one), ...both }), /rejects this token/);
    const first = { TOOLBOOTH_OPERATOR_TOKEN: SETTING };
    assert.equal((await runHere("actions", { ...remote(one), ...first })).json.actions.length, 3);
  });

  test("backup and restore over the network say where to run them", async () => {
    const url = "http://127.0.0.1:1";
    const file = path.join(temporaryFolder(), "ledger.sqlite");
    await assert.rejects(runHere(`backup ${file}`, remote(url)), /copies a data folder\. .*Run it/);
    await assert.rejects(
      runHere(`restore ${file}`, remote(url)),
      /replaces a data folder\. .*Run it/,
    );
  });
});

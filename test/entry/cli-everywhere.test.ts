/** The operator's commands in process on SQLite and PostgreSQL, and over HTTP to a Node server, a fleet and the edge. */
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { testOperatorCommands } from "../contract/operator-commands.ts";
import { openEdgeSite } from "../edge-site.ts";
import { type Postgres, startPostgres } from "../postgres.ts";
import { startServer, temporaryFolder } from "./cli-scene.ts";
import { runHere } from "./run-command.ts";

const TOKENS = { ada: "a".repeat(40), deploy: "d".repeat(40) };
const SETTING = `ada:${TOKENS.ada},deploy:${TOKENS.deploy}`;
/** Nothing that a command works on is ever here. */
const NOWHERE = path.join(temporaryFolder(), "nowhere");

const remote = (url: string, token = TOKENS.deploy) => ({
  ...{ DATA_DIR: NOWHERE, TOOLBOOTH_REMOTE: url, TOOLBOOTH_OPERATOR_TOKEN: token },
});
const overNetwork = (url: string) => ({ env: remote(url), by: "deploy", isOverNetwork: true });

async function startNode(env: Record<string, string> = {}): Promise<string> {
  const server = await startServer(path.join(temporaryFolder(), "data"), {
    // On a loopback address alone the first start would make an account to try the service with.
    ...{ HOST: "0.0.0.0", TOOLBOOTH_OPERATOR_TOKEN: SETTING, ...env },
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
    ...{ env, by: userInfo().username, isOverNetwork: false },
  });
  testOperatorCommands("in process on SQLite", async () =>
    here({ DATA_DIR: path.join(temporaryFolder(), "data") }),
  );
  testOperatorCommands("in process on PostgreSQL", async () =>
    here({ DATA_DIR: NOWHERE, DATABASE_URL: await postgres.createDatabase() }),
  );
  testOperatorCommands("over HTTP to a Node server", async () => overNetwork(await startNode()));
  testOperatorCommands("over HTTP to a fleet", async () => {
    const DATABASE_URL = await postgres.createDatabase();
    const [first] = await Promise.all([1, 2].map(() => startNode({ DATABASE_URL })));
    return overNetwork(first as string);
  });
  testOperatorCommands("over HTTP to the edge", async () => {
    const site = await openEdgeSite(
      { after },
      { texts: { TOOLBOOTH_OPERATOR_TOKEN: SETTING, RATE_LIMIT: "0" } },
    );
    return overNetwork(site.base);
  });

  test("several tokens let in at once, and each act says whose it was; what one node did another lists", async () => {
    const DATABASE_URL = await postgres.createDatabase();
    const [one = "", other = ""] = await Promise.all([1, 2].map(() => startNode({ DATABASE_URL })));
    await runHere("account create ada@b.c", remote(one, TOKENS.ada));
    await runHere("account create bob@b.c", remote(other, TOKENS.deploy));
    await runHere("account create cid@b.c", { DATA_DIR: NOWHERE, DATABASE_URL });
    const { acts } = (await runHere("acts", remote(one))).json;
    assert.deepEqual(
      acts.map(({ by }: { by: string }) => by),
      [userInfo().username, "deploy", "ada"],
    );
    // As when a token is changed: the command line takes the first of those that it is given.
    const both = { TOOLBOOTH_OPERATOR_TOKEN: `old:${"o".repeat(40)},${SETTING}` };
    await assert.rejects(runHere("acts", { ...remote(one), ...both }), /does not take this token/);
    const first = { TOOLBOOTH_OPERATOR_TOKEN: SETTING };
    assert.equal((await runHere("acts", { ...remote(one), ...first })).json.acts.length, 3);
  });

  test("what moves a whole ledger, and what is about files, says where to run it", async () => {
    const url = await startNode();
    const file = path.join(temporaryFolder(), "lines.jsonl");
    await runHere("account create ada@b.c", remote(url));
    await assert.rejects(runHere(`export ${file}`, remote(url)), WHERE);
    const local = { DATA_DIR: path.join(temporaryFolder(), "data") };
    await runHere("account create bob@b.c", local);
    await runHere(`export ${file}`, local);
    await assert.rejects(runHere(`import ${file}`, remote(url)), WHERE);
    await assert.rejects(runHere(`backup ${file}`, remote(url)), /copies a data folder/);
    await assert.rejects(runHere(`restore ${file}`, remote(url)), /replaces a data folder/);
  });
});

const WHERE =
  /keeps all accounts in one ledger, which moves as a whole: run export and import where its DATA_DIR or DATABASE_URL is/;

/** Commands over the network to a fleet whose nodes and clients are killed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { serve } from "../../api/operator/deployment-fixture.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { busyLedger, DEBITS, recordsOf } from "../node/busy-ledger.ts";
import { runHere } from "../node/run-command.ts";
import { type Json, start, startServer, temporaryFolder } from "./fixture.ts";

const TOKENS = { ada: "a".repeat(40), deploy: "d".repeat(40) };
const SETTING = `ada:${TOKENS.ada},deploy:${TOKENS.deploy}`;

type Server = Awaited<ReturnType<typeof startServer>>;
type Order = { operation: string; order: Json };
const urlOf = (server: Server | undefined) => server?.url.replace("0.0.0.0", "127.0.0.1") ?? "";

describe("commands over the network to a fleet", () => {
  const dataDirs = [1, 2].map(() => path.join(temporaryFolder(), "data"));
  let members: Server[];
  let remote: Record<string, string>;
  let file: string;
  let lines: string[];
  let turn = 0;
  /** Called with every order. If it returns false, the order does not reach the node and gets no response. */
  let watch: (asked: Order) => boolean | Promise<boolean> = () => true;
  let closeBalancer = () => {};

  async function startNode(dataDir: string): Promise<Server> {
    const DATABASE_URL = await database;
    // On a loopback address the first start would create a demo account.
    const env = { HOST: "0.0.0.0", TOOLBOOTH_OPERATOR_TOKEN: SETTING, DATABASE_URL };
    return startServer(dataDir, env);
  }
  let database: Promise<string>;

  before(async () => {
    database = sharedPostgres().then((postgres) => postgres.createDatabase());
    ({ file, lines } = await busyLedger());
    members = await Promise.all(dataDirs.map(startNode));
    const unanswered = Promise.withResolvers<Response>();
    const balancer = {
      async fetch(request: Request) {
        const body = await request.text();
        if (!(await watch(JSON.parse(body)))) return unanswered.promise;
        turn = (turn + 1) % members.length;
        const { pathname } = new URL(request.url);
        const { headers } = request;
        return fetch(`${urlOf(members[turn])}${pathname}`, { method: "POST", headers, body });
      },
    };
    const url = await serve(balancer, undefined, (close) => {
      closeBalancer = close;
    });
    remote = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKENS.deploy, DATA_DIR: "/nowhere" };
  });
  after(async () => {
    closeBalancer();
    await Promise.all(members.map((server) => server.stop()));
  });

  const run = (line: string) => runHere(line, remote);
  /** Kills the node that would get the next request, and restarts it. */
  async function restart(): Promise<void> {
    const next = (turn + 1) % members.length;
    await members[next]?.kill();
    members[next] = await startNode(dataDirs[next] as string);
  }
  async function exportLines(): Promise<{ copy: string; counts: Json; exported: string[] }> {
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    const { counts } = (await run(`export ${copy}`)).json;
    return { copy, counts, exported: recordsOf(readFileSync(copy, "utf8")) };
  }

  test("an import can be repeated after its client was killed, and an export returns what was imported", async () => {
    let pages = 0;
    const arrived = Promise.withResolvers<void>();
    watch = ({ operation }) => {
      if (operation === "importAccount") pages += 1;
      if (pages < 8) return true;
      arrived.resolve();
      return false;
    };
    const child = start("cli/start.js", ["import", file], remote);
    child.stderr?.resume();
    const exited = once(child, "exit");
    await Promise.race([arrived.promise, exited]);
    child.kill("SIGKILL");
    assert.deepEqual(await exited, [null, "SIGKILL"]);
    watch = () => true;
    assert.equal((await run("account list")).json.accounts.length, 0, "addresses come last");
    assert.equal((await run("audit")).json.ok, true, "incomplete accounts are not visible");
    const { counts } = (await run(`import ${file}`)).json;
    assert.deepEqual([counts.account, counts.debit], [7, DEBITS]);
    const { exported } = await exportLines();
    assert.deepEqual(exported, lines);
    assert.match((await run(`import ${file}`)).log.join("\n"), /7 accounts were already imported/);
  });

  test("an export whose node is killed is one consistent snapshot despite concurrent changes", async () => {
    let pages = 0;
    watch = async ({ operation, order }) => {
      if (operation !== "exportAccount" || order.place === null) return true;
      pages += 1;
      // Between two pages of one account.
      if (pages <= 3) await run(`credits grant busy@b.c ${pages}`);
      if (pages === 2) await restart();
      return true;
    };
    const { copy, counts } = await exportLines();
    watch = () => true;
    assert.ok(pages > 3, `${pages} pages`);
    assert.equal(counts.debit, DEBITS);
    const third = { DATA_DIR: path.join(temporaryFolder(), "third") };
    await runHere(`import ${copy}`, third);
    assert.equal((await runHere("audit", third)).json.ok, true);
    assert.equal((await run("audit")).json.ok, true);
  });

  test("several tokens work at the same time, and every node lists the actions of all nodes by token", async () => {
    const [one = "", other = ""] = members.map(urlOf);
    const by = (url: string, token: string) => ({
      ...{ ...remote, "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: token },
    });
    await runHere("account create first@b.c", by(one, TOKENS.ada));
    await runHere("account create second@b.c", by(other, TOKENS.deploy));
    const { actions } = (await runHere("actions --max 2", by(one, TOKENS.ada))).json;
    assert.deepEqual(
      actions.map((action: Json) => action.by),
      ["deploy", "ada"],
    );
    // The command line uses the first token of the setting, which matters while a token is replaced.
    const first = by(one, `old:${"o".repeat(40)},${SETTING}`);
    await assert.rejects(runHere("actions", first), /rejects this token/);
    assert.equal((await runHere("actions --max 2", by(one, SETTING))).json.actions.length, 2);
  });
});

/** Commands over the network to a fleet whose nodes and clients are killed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { serve } from "../../api/operator/deployment-fixture.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { busyLedger, DEBITS, recordsOf } from "../node/busy-ledger.ts";
import { runHere } from "../node/run-command.ts";
import { type Json, start, startServer, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

const TOKEN = "d".repeat(40);

type Server = Awaited<ReturnType<typeof startServer>>;
type Order = { path: string; input: Json };
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
    const env = { HOST: "0.0.0.0", TOOLBOOTH_OPERATOR_TOKEN: TOKEN, DATABASE_URL };
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
        const { pathname } = new URL(request.url);
        if (!(await watch({ path: pathname, input: JSON.parse(body) }))) return unanswered.promise;
        turn = (turn + 1) % members.length;
        const { headers } = request;
        return fetch(`${urlOf(members[turn])}${pathname}`, { method: "POST", headers, body });
      },
    };
    const url = await serve(balancer, undefined, (close) => {
      closeBalancer = close;
    });
    remote = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN, DATA_DIR: "/nowhere" };
  });
  after(async () => {
    closeBalancer();
    await Promise.all(members.map((server) => server.stop()));
  });

  const run = (line: string) => runHere(`${line} --json`, remote);
  /** Kills both nodes, if they still run, and starts them again. */
  async function restart(): Promise<void> {
    await Promise.all(members.map((member) => member.kill()));
    members = await Promise.all(dataDirs.map(startNode));
  }
  async function exportLines(): Promise<{ copy: string; counts: Json; exported: string[] }> {
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    const { counts } = (await run(`export ${copy}`)).json;
    return { copy, counts, exported: recordsOf(readFileSync(copy, "utf8")) };
  }

  test("an import can be repeated after its client was killed, and an export returns what was imported", async () => {
    let pages = 0;
    const arrived = Promise.withResolvers<void>();
    watch = ({ path, input }) => {
      if (path.endsWith("/import") && input.account !== null) pages += 1;
      if (pages < 8) return true;
      arrived.resolve();
      return false;
    };
    const child = start(["import", file], remote);
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
    assert.match(
      (await run(`import ${file}`)).log.join("\n"),
      /Skipped 7 accounts: an earlier run of this command imported them/,
    );
  });

  test("an export whose node is killed fails and leaves no file, and the next one is one consistent snapshot", async () => {
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    let isKilled = false;
    watch = ({ path }) => {
      if (!path.endsWith("/export") || isKilled) return true;
      isKilled = true;
      const next = (turn + 1) % members.length;
      const lost = members[next] as Server;
      setTimeout(() => void lost.kill(), 5);
      return true;
    };
    const first = await run(`export ${copy}`).catch((error: Error) => error);
    watch = () => true;
    if (first instanceof Error) assert.ok(!existsSync(copy), String(first));
    await restart();
    const { copy: whole, counts } = await exportLines();
    assert.equal(counts.debit, DEBITS);
    const third = await openFolderService();
    await third.json(`import ${whole}`);
    assert.equal((await third.json("audit")).ok, true);
    assert.equal((await run("audit")).json.ok, true);
  });

  test("every node lists the actions of all nodes", async () => {
    const [one = "", other = ""] = members.map(urlOf);
    const at = (url: string) => ({ ...remote, "--remote": url });
    await runHere("account create first@b.co --json", at(one));
    await runHere("account create second@b.co --json", at(other));
    for (const url of [one, other]) {
      const { actions } = (await runHere("actions --max 2 --json", at(url))).json;
      assert.deepEqual(
        actions.map((action: Json) => action.action),
        ["account create", "account create"],
      );
    }
    const wrong = { ...at(one), TOOLBOOTH_OPERATOR_TOKEN: "x".repeat(40) };
    await assert.rejects(runHere("actions", wrong), /rejects this token/);
  });
});

/** The operator API of a Node server: its responses, and the state after the process dies. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import { type Json, startServer, temporaryFolder } from "../cli/fixture.ts";
import { runHere } from "./run-command.ts";

const TOKEN = "t".repeat(40);
/** In each the server is killed during eight orders. */
const ROUNDS = process.env["TEST_STARTS"] === "all" ? 2 : 1;

async function openFixture(
  folder: string,
  env: Record<string, string> = { TOOLBOOTH_OPERATOR_TOKEN: TOKEN },
) {
  const dataDir = path.join(folder, "data");
  const server = await startServer(dataDir, env);
  const send = (init: RequestInit, target = "/operator/v1/perform") =>
    fetch(`${server.url}${target}`, { method: "POST", ...init });
  return { server, send };
}

type Hooks = { after(run: () => unknown): void };

async function fixture(t: Hooks, env?: Record<string, string>) {
  const opened = await openFixture(temporaryFolder(), env);
  t.after(() => opened.server.stop());
  return opened;
}

const authorized = { Authorization: `Bearer ${TOKEN}` };
const order = (operation: string, input: object) => JSON.stringify({ operation, order: input });
const codeOf = async (response: Response): Promise<Json> => {
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
  const { code, ok, status } = (await response.json()) as Json;
  assert.deepEqual([ok, status], [false, response.status]);
  return [status, code];
};

describe("the operator API on Node", { concurrency: 2 }, () => {
  test("responds with 404 on every path without the setting, and names the setting", async (t) => {
    const { send } = await fixture(t, {});
    for (const target of ["/operator", "/operator/v1/perform", "/operator/?x=1"])
      assert.deepEqual(await codeOf(await send({ headers: authorized }, target)), [
        404,
        "not_found",
      ]);
    const response = await send({ headers: authorized });
    assert.match(((await response.json()) as Json).detail, /TOOLBOOTH_OPERATOR_TOKEN/);
  });

  let shared: Awaited<ReturnType<typeof openFixture>>;
  const folder = temporaryFolder();
  before(async () => {
    shared = await openFixture(folder);
  });
  after(() => shared.server.stop());

  test("responds on one path and one method to clients with a token", async () => {
    const { send } = shared;
    const body = order("findAddress", { email: "a@b.c" });
    assert.deepEqual(await codeOf(await send({ body })), [401, "wrong_token"]);
    const wrong = { Authorization: `Bearer ${TOKEN}x` };
    assert.deepEqual(await codeOf(await send({ body, headers: wrong })), [401, "wrong_token"]);
    const headers = authorized;
    assert.deepEqual(await codeOf(await send({ headers, method: "GET" })), [
      405,
      "method_not_allowed",
    ]);
    assert.deepEqual(await codeOf(await send({ headers, body }, "/operator/v2/perform")), [
      404,
      "not_found",
    ]);
    assert.deepEqual(await codeOf(await send({ headers, body: "{" })), [400, "invalid_request"]);
    const unknown = order("debit", {});
    assert.deepEqual(await codeOf(await send({ headers, body: unknown })), [
      400,
      "unknown_operation",
    ]);
    const late = order("suspendAccount", { account: "acc_Ada000000000", now: 1 });
    assert.deepEqual(await codeOf(await send({ headers, body: late })), [400, "wrong_clock"]);
    const found = await send({ headers, body });
    assert.deepEqual([found.status, await found.json()], [200, { ok: true, outcome: null }]);
    assert.equal(found.headers.get("access-control-allow-origin"), null);
  });

  test("throttles wrong tokens by network", async (t) => {
    const { send } = await fixture(t);
    const statuses = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const response = await send({ headers: { Authorization: `Bearer guess-${turn}` } });
      statuses.push(response.status);
      await response.arrayBuffer();
    }
    assert.deepEqual(statuses.slice(0, 4), [401, 401, 401, 401]);
    assert.ok(statuses.includes(429));
  });

  test("rejects a body that is too large, and reads no body without a token", async () => {
    const { send, server } = shared;
    const body = "x".repeat(OPERATOR_BODY_BYTES_MAX + 1);
    assert.deepEqual(await codeOf(await send({ headers: authorized, body })), [413, "too_large"]);
    // The body is announced and never sent: without a token the response comes at once.
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(
      "POST /operator/v1/perform HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000\r\n\r\n{",
    );
    const [result] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    assert.match(String(result), /^HTTP\/1\.1 401 /);
  });

  test("its changes take effect at the next call", async () => {
    const { server } = shared;
    const env = { "--remote": server.url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
    await runHere("account create ada@b.c --credits 5", env);
    const { key, id } = (await runHere("key create ada@b.c --label l", env)).json;
    assert.deepEqual(await server.call(key), { status: 200, remaining: "5" });
    await runHere("account suspend ada@b.c", env);
    assert.equal((await server.call(key)).status, 403);
    await runHere("account resume ada@b.c", env);
    assert.equal((await server.call(key)).status, 200);
    await runHere(`key revoke ${id}`, env);
    assert.equal((await server.call(key)).status, 401);
  });

  test("a server that is killed during orders has carried out each of them once, with its record, or not at all", async (t) => {
    const dataDir = path.join(temporaryFolder(), "data");
    const settings = { TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
    let server = await startServer(dataDir, settings);
    t.diagnostic(`rounds: ${ROUNDS}`);
    t.after(() => server.stop());
    const envOf = () => ({ ...settings, "--remote": server.url });
    await runHere("account create ada@b.c", envOf());
    const client = async (id: number) =>
      runHere(`credits grant ada@b.c 1 --id turn-${id}`, envOf()).then(
        () => true,
        () => false,
      );
    const confirmed = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = Array.from({ length: 8 }, (_, index) => round * 8 + index);
      const running = ids.map(async (id) => {
        if (await client(id)) confirmed.add(id);
      });
      while (confirmed.size < round * 8 + 2) await new Promise((resolve) => setTimeout(resolve, 1));
      await server.kill();
      server = await startServer(dataDir, settings);
      // Orders in progress fail or find no server.
      await Promise.all(running);
      for (const id of ids) if (!confirmed.has(id)) assert.ok(await client(id), `turn ${id}`);
      for (const id of ids) confirmed.add(id);
    }
    const { balance } = (await runHere("credits show ada@b.c", envOf())).json;
    assert.equal(balance, ROUNDS * 8);
    const { actions } = (await runHere("actions --max 1000", envOf())).json;
    const granted = new Set(
      actions.flatMap(
        ({ detail }: Json) =>
          /^(?:1 credits as )?(operator:turn-\d+)(?: was granted before)?$/.exec(
            detail ?? "",
          )?.[1] ?? [],
      ),
    );
    assert.equal(granted.size, ROUNDS * 8, "every grant has a record");
    assert.equal((await runHere("audit", envOf())).json.ok, true);
  });
});

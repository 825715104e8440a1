import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import {
  ADA,
  ask,
  createDeployment,
  linesOf,
  openDeployment,
  PERFORM,
  TOKEN,
} from "./deployment-fixture.ts";

const now = () => Date.now();

describe("the operator API", () => {
  test("rejects requests without the token and reveals nothing", async () => {
    const deployment = createDeployment();
    for (const headers of [
      {},
      { Authorization: "Bearer" },
      { Authorization: `Bearer ${TOKEN.slice(1)}` },
      { Authorization: `Basic ${TOKEN}` },
    ] as Record<string, string>[]) {
      const one = createDeployment();
      const { status, body, headers: responded } = await ask(one, "findAccount", {}, headers);
      assert.deepEqual([status, body.code, body.ok], [401, "wrong_token", false]);
      assert.match(responded.get("www-authenticate") ?? "", /^Bearer realm=/);
      assert.equal(responded.get("cache-control"), "no-store");
      assert.equal(responded.get("access-control-allow-origin"), null);
    }
    const ok = { Authorization: `bearer  ${TOKEN}` };
    assert.equal((await ask(deployment, "findAddress", { email: "a@b.c" }, ok)).status, 200);
  });

  test("accepts each of several tokens under its name, and no earlier one", async () => {
    const tokens = [
      { name: "ada", token: "a".repeat(40) },
      { name: "deploy", token: "d".repeat(40) },
    ];
    const deployment = createDeployment({ tokens });
    for (const [index, { token }] of tokens.entries()) {
      const order = { account: `acc_Ada00000000${index}`, email: `${index}@b.c`, credits: null };
      const headers = { Authorization: `Bearer ${token}` };
      const { status } = await ask(deployment, "openAccount", { ...order, now: now() }, headers);
      assert.equal(status, 200);
    }
    assert.equal((await ask(deployment, "findAddress", { email: "0@b.c" })).status, 401);
    const { actions } = await deployment.actions.list({ after: null, max: 9 });
    assert.deepEqual(
      actions.map(({ by, action }) => [by, action]),
      [
        ["deploy", "openAccount"],
        ["ada", "openAccount"],
      ],
    );
  });

  test("is 404 if no token is set", async () => {
    const { status, body } = await ask(createDeployment({ tokens: [] }), "findAccount", {});
    assert.deepEqual([status, body.code], [404, "not_found"]);
    assert.match(body.detail, /TOOLBOOTH_OPERATOR_TOKEN/);
  });

  test("answers one path and one method", async () => {
    const { app } = createDeployment();
    const headers = { Authorization: `Bearer ${TOKEN}` };
    for (const [path, method, status] of [
      ["/operator", "POST", 404],
      ["/operator/v1/perform/", "POST", 404],
      ["/operator/v2/perform", "POST", 404],
      ["/operator/v1/perform", "GET", 405],
      ["/operator/v1/perform", "OPTIONS", 405],
    ] as const) {
      const response = await app.fetch(
        new Request(new URL(path, PERFORM), { method, headers }),
        null,
      );
      assert.equal(response.status, status, `${method} ${path}`);
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      assert.equal(response.headers.get("allow"), status === 405 ? "POST" : null);
    }
  });

  test("wrong tokens are throttled for their network, and right ones are not", async () => {
    let time = now();
    const deployment = createDeployment({ now: () => time });
    const send = (token: string, peer: string) =>
      deployment.app.fetch(
        new Request(PERFORM, {
          ...{ method: "POST", headers: { Authorization: `Bearer ${token}` } },
          body: JSON.stringify({ operation: "listKeys", order: { account: ADA } }),
        }),
        peer,
      );
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await send(`guess-${i}`, "2001:db8::1")).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
    const wrong = await send("guess", "2001:db8::2");
    assert.equal(wrong.status, 429, "the same network");
    assert.ok(Number(wrong.headers.get("retry-after")) >= 1);
    for (const peer of ["2001:db8::2", "192.0.2.1"]) {
      const right = await Promise.all(Array.from({ length: 20 }, () => send(TOKEN, peer)));
      assert.ok(
        right.every(({ status }) => status === 200),
        "who has the token is not throttled",
      );
    }
    assert.equal((await send("guess", "2001:db8::1")).status, 429, "a right one frees no guess");
    time += 1_000;
    assert.equal((await send("guess", "2001:db8::2")).status, 401);
  });

  test("bodies are bounded, and an invalid order is rejected with the place of the error", async () => {
    const { deployment } = await openDeployment();
    const send = async (body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      const request = new Request(PERFORM, { method: "POST", headers, body });
      const response = await deployment.app.fetch(request, "192.0.2.1");
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    assert.deepEqual(await send("x".repeat(OPERATOR_BODY_BYTES_MAX + 1)), [413, "too_large"]);
    const wrong = [
      "",
      "[]",
      "null",
      "{",
      "\u0000",
      '{"operation":"audit"}',
      '{"operation":1,"order":{}}',
    ];
    for (const text of wrong) assert.deepEqual(await send(text), [400, "invalid_request"], text);
    assert.deepEqual(await send(Uint8Array.of(0xff, 0xfe)), [400, "invalid_request"]);
    for (const name of ["debit", "maintain", "toString", "__proto__", "beginImport"]) {
      const { status, body } = await ask(deployment, name, {});
      assert.deepEqual([status, body.code], [400, "unknown_operation"], name);
    }
    const lax = { account: ADA, now: now(), more: 1 };
    const { status, body } = await ask(deployment, "suspendAccount", lax);
    assert.equal(status, 400);
    assert.match(
      body.detail,
      /The order is not valid for suspendAccount \(order: Unrecognized key: "more"\)/,
    );
    assert.deepEqual(await linesOf(deployment), [
      `openAccount | ${ADA} | done: 5 credits | 192.0.2.7`,
    ]);
  });

  test("an order with a wrong time is rejected, because the ledger would record it", async () => {
    const { ask, deployment } = await openDeployment();
    const { status, body } = await ask("suspendAccount", { account: ADA, now: now() + 3_600_000 });
    assert.deepEqual([status, body.code], [400, "wrong_clock"]);
    assert.equal(
      (await deployment.ledger.findAccount({ account: ADA, now: now() }))?.state,
      "open",
    );
  });
});

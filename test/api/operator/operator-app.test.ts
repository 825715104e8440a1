import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import { pathOf } from "#operator/operation.ts";
import { OPERATIONS } from "#operator/operations.ts";
import {
  ADA,
  ask,
  BASE,
  createDeployment,
  linesOf,
  openDeployment,
  TOKEN,
} from "./deployment-fixture.ts";

const now = () => Date.now();
const show = { email: ADA };

describe("the operator API", () => {
  test("rejects requests without the token and reveals nothing", async () => {
    for (const headers of [
      { Authorization: "" },
      { Authorization: "Bearer" },
      { Authorization: `Bearer ${TOKEN.slice(1)}` },
      { Authorization: `Basic ${TOKEN}` },
    ]) {
      const one = createDeployment();
      const { status, body, headers: responded } = await ask(one, "key list", show, headers);
      assert.deepEqual([status, body.code, body.ok], [401, "wrong_token", false]);
      assert.match(responded.get("www-authenticate") ?? "", /^Bearer realm=/);
      assert.equal(responded.get("cache-control"), "no-store");
      assert.equal(responded.get("access-control-allow-origin"), null);
    }
    const ok = { Authorization: `bearer  ${TOKEN}` };
    assert.equal((await ask(createDeployment(), "account list", {}, ok)).status, 200);
  });

  test("without a token it serves the socket only: other requests get 404", async () => {
    const { app } = createDeployment({ token: null });
    const send = (isLocal: boolean) =>
      app.fetch(new Request(`${BASE}/operator/account/list`, { method: "POST" }), {
        ...{ address: null, isLocal },
      });
    const refused = await send(false);
    assert.equal(refused.status, 404);
    assert.match(((await refused.json()) as { detail: string }).detail, /TOOLBOOTH_OPERATOR_TOKEN/);
    assert.equal((await send(true)).status, 200);
  });

  test("records who runs the command, as the command line says", async () => {
    const { ask, deployment } = await openDeployment();
    await ask("account suspend", show, { "Toolbooth-Operator": "ada" });
    await ask("account resume", show, { "Toolbooth-Operator": "a name with spaces" });
    const { actions } = await deployment.actions.list({ after: null, max: 9 });
    assert.deepEqual(
      actions.map(({ by }) => by),
      ["operator", "ada", "operator"],
    );
  });

  test("has one path and one method for each operation, and describes them", async () => {
    const { app } = createDeployment();
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const from = { address: null, isLocal: false };
    for (const [path, method, status] of [
      ["/operator", "POST", 404],
      ["/operator/credits/grant/", "POST", 404],
      ["/operator/credits", "POST", 404],
      ["/operator/__proto__", "POST", 404],
      ["/operator/credits/grant", "GET", 405],
      ["/operator/credits/grant", "OPTIONS", 405],
      ["/operator/openapi.json", "POST", 405],
    ] as const) {
      const response = await app.fetch(new Request(new URL(path, BASE), { method, headers }), from);
      assert.equal(response.status, status, `${method} ${path}`);
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      assert.equal(response.headers.has("allow"), status === 405);
    }
    const reference = await app.fetch(
      new Request(`${BASE}/operator/openapi.json`, { headers }),
      from,
    );
    const { openapi, paths } = (await reference.json()) as { openapi: string; paths: object };
    assert.match(openapi, /^3\.1/);
    assert.deepEqual(Object.keys(paths), OPERATIONS.map(pathOf));
  });

  test("wrong tokens are throttled for their network, and right ones are not", async () => {
    let time = now();
    const deployment = createDeployment({ now: () => time });
    const send = (token: string, address: string) =>
      deployment.app.fetch(
        new Request(`${BASE}/operator/account/list`, {
          ...{ method: "POST", headers: { Authorization: `Bearer ${token}` } },
        }),
        { address, isLocal: false },
      );
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await send(`guess-${i}`, "2001:db8::1")).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
    const wrong = await send("guess", "2001:db8::2");
    assert.equal(wrong.status, 429, "the same network");
    assert.ok(Number(wrong.headers.get("retry-after")) >= 1);
    assert.equal((await send("guess", "192.0.2.1")).status, 401, "another network");
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

  test("bodies are limited, and an invalid input is rejected with its member and never its value", async () => {
    const { deployment, id } = await openDeployment();
    const send = async (body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      const request = new Request(`${BASE}/operator/key/list`, { method: "POST", headers, body });
      const response = await deployment.app.fetch(request, { address: null, isLocal: false });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    assert.deepEqual(await send("x".repeat(OPERATOR_BODY_BYTES_MAX + 1)), [413, "too_large"]);
    const nul = '{"email":"a\\u0000@b.co"}';
    for (const text of ["", "[]", "null", "{", "\u0000", "{}", '{"email":1}', nul])
      assert.deepEqual(await send(text), [400, "invalid_request"], text);
    assert.deepEqual(await send(nul.replace("\\", "\\\\")), [409, "refused"]);
    assert.deepEqual(await send(Uint8Array.of(0xff, 0xfe)), [400, "invalid_request"]);
    for (const [name, input, detail] of [
      ["key list", { ...show, more: 1 }, /^The body has the unknown field "more"\.$/],
      ["credits grant", { ...show, credits: 1.5 }, /^`credits` must be a whole number from 1 to/],
      ["key revoke", { id: "tb_secret" }, /^`id` must be the id of a key, which starts with key_/],
      ["account create", { email: "a@b" }, /^`email` must be a complete email address/],
    ] as const) {
      const { status, body } = await ask(deployment, name, input);
      assert.deepEqual([status, body.code], [400, "invalid_request"]);
      assert.match(body.detail, detail);
      assert.doesNotMatch(body.detail, /tb_secret|a@b/);
    }
    const short = await ask(deployment, "account list", {}, { "Idempotency-Key": "1" });
    assert.match(short.body.detail, /Idempotency-Key must have 16 to 255/);
    assert.deepEqual(await linesOf(deployment), [
      `account create | ${id} | done: 5 credits | 192.0.2.7`,
    ]);
  });

  test("every operation rejects unknown members of its input", () => {
    for (const { name, input } of OPERATIONS)
      assert.equal(input.safeParse({ more: 1 }).success, false, name);
  });
});

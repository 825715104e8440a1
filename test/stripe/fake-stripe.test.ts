/** The fake checks our provider; these tests check that the fake is as strict as Stripe. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { FAKE_SECRET_KEY, FAKE_WEBHOOK_SECRET, startFakeStripe } from "./fake-stripe.ts";
import { FormFault, readForm } from "./form.ts";

const PAGE =
  "mode=payment&success_url=https%3A%2F%2Fshop.test%2Fback%3Fpage%3D%7BCHECKOUT_SESSION_ID%7D" +
  "&cancel_url=https%3A%2F%2Fshop.test%2Fno&line_items[0][quantity]=1" +
  "&line_items[0][price_data][currency]=eur&line_items[0][price_data][unit_amount]=500" +
  "&line_items[0][price_data][product_data][name]=Small+%3Cb%3E";

const HEADERS = {
  Authorization: `Bearer ${FAKE_SECRET_KEY}`,
  "Content-Type": "application/x-www-form-urlencoded",
  "Stripe-Version": "2026-10-28.endive",
};

async function open(t: TestContext) {
  const fake = await startFakeStripe();
  t.after(() => fake.close());
  const ask = async (body: string, headers: Record<string, string> = {}) => {
    const result = await fetch(`${fake.api}/v1/checkout/sessions`, {
      ...{ method: "POST", body },
      headers: { ...HEADERS, ...headers },
    });
    const told = (await result.json()) as { id?: string; error?: { param?: string; type: string } };
    return { ...told, status: result.status, replayed: result.headers.get("idempotent-replayed") };
  };
  return { fake, ask };
}

test("forms are parsed like Stripe parses them, without guessing", () => {
  assert.deepEqual(readForm("a[b][0][c]=1&a[b][1][c]=x%20%3D+y&d=%E2%82%AC&e=&f%5Bg%5D=2"), {
    a: { b: [{ c: "1" }, { c: "x = y" }] },
    ...{ d: "€", e: "", f: { g: "2" } },
  });
  const bad = [
    "a",
    "a=1=2",
    "a[=1",
    "a]=1",
    "[a]=1",
    "a[]=1",
    "a[0]=1&a[2]=2",
    "a[1]=1",
    "a=1&a=2",
  ];
  for (const text of [...bad, "a=1&a[b]=2", "a=%zz", "a=%ff", "a b=1"]) {
    assert.throws(() => readForm(text), FormFault, text);
  }
});

test("an unknown parameter, or one of the wrong type, is rejected with its name", async (t) => {
  const { ask } = await open(t);
  assert.equal((await ask(PAGE)).status, 200);
  const problems: [string, string][] = [
    [`${PAGE}&colour=red`, "colour"],
    [`${PAGE}&line_items[0][price_data][prize]=1`, "line_items[0][price_data][prize]"],
    [`${PAGE}&automatic_tax=true`, "automatic_tax"],
    [`${PAGE}&automatic_tax[enabled]=yes`, "automatic_tax[enabled]"],
    [`${PAGE}&metadata[a]=${"x".repeat(501)}`, "metadata[a]"],
    [`${PAGE}&expires_at=${Math.floor(Date.now() / 1000) + 60}`, "expires_at"],
    [PAGE.replace("mode=payment", "mode=gift"), "mode"],
    [PAGE.replace("mode=payment&", ""), "mode"],
    [PAGE.replace("=500", "=5.00"), "line_items[0][price_data][unit_amount]"],
  ];
  for (const [form, param] of problems) {
    const { status, error } = await ask(form);
    assert.deepEqual([status, error?.param], [400, param]);
  }
});

test("another key, another version and JSON are rejected", async (t) => {
  const { ask } = await open(t);
  assert.equal((await ask(PAGE, { Authorization: "Bearer sk_test_other" })).status, 401);
  assert.equal((await ask(PAGE, { Authorization: "" })).status, 401);
  assert.equal((await ask(PAGE, { "Stripe-Version": "2020-08-27" })).status, 400);
  assert.equal((await ask(PAGE, { "Content-Type": "application/json" })).status, 400);
});

test("an idempotency key stands for one order", async (t) => {
  const { ask } = await open(t);
  const key = { "Idempotency-Key": "once" };
  const first = await ask(PAGE, key);
  const again = await ask(PAGE, key);
  assert.deepEqual([first.replayed, again.replayed, again.id], [null, "true", first.id]);
  const other = await ask(`${PAGE}&customer_email=a%40b.test`, key);
  assert.deepEqual([other.status, other.error?.type], [400, "idempotency_error"]);
  assert.notEqual((await ask(PAGE)).id, first.id);
});

test("a browser can pay, pay later or go back, and is redirected", async (t) => {
  const { fake, ask } = await open(t);
  for (const [act, status, next] of [
    ["pay", "paid", "https://shop.test/back?page="],
    ["later", "unpaid", "https://shop.test/back?page="],
    ["cancel", "unpaid", "https://shop.test/no"],
  ] as const) {
    const { id = "" } = await ask(PAGE);
    const url = `${fake.api}/pay/${id}`;
    const html = await (await fetch(url)).text();
    assert.match(html, /Small &#60;b&#62;/);
    assert.match(html, new RegExp(`value="${act}"`));
    const result = await fetch(url, {
      ...{ method: "POST", body: `act=${act}`, redirect: "manual" },
    });
    const to = act === "cancel" ? next : `${next}${id}`;
    assert.deepEqual([result.status, result.headers.get("location")], [303, to]);
    assert.equal(fake.session(id)["payment_status"], status);
    const after = await (await fetch(url)).text();
    assert.equal(/<button/.test(after), act === "cancel");
  }
});

test("webhooks are signed over their bytes and sent until they are accepted", async (t) => {
  const { fake, ask } = await open(t);
  const got: { type: string; isSigned: boolean }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [, at, v1] = /^t=(\d+),v1=([0-9a-f]{64}),/.exec(
      String(request.headers["stripe-signature"]),
    ) as unknown as [string, string, string];
    const hmac = createHmac("sha256", FAKE_WEBHOOK_SECRET).update(`${at}.`).update(body);
    const { type } = JSON.parse(body.toString()) as { type: string };
    got.push({ type, isSigned: hmac.digest("hex") === v1 });
    // Nothing listens at the first attempt.
    response.writeHead(got.length === 1 ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  t.after(() => receiver.close());
  fake.sendTo(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  const { id = "" } = await ask(PAGE);
  fake.pay(id);
  await fake.idle();
  assert.ok(got.every(({ isSigned }) => isSigned));
  assert.deepEqual(
    new Set(got.map(({ type }) => type)),
    new Set(["payment_intent.succeeded", "charge.succeeded", "checkout.session.completed"]),
  );
  assert.equal(got.length, 4);
});

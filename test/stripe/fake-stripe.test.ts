/** The fake checks our provider; these tests check that the fake is as strict as Stripe. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FAKE_SECRET_KEY, startFakeStripe } from "./fake-stripe.ts";
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
    const told = (await result.json()) as { error?: { param?: string } };
    return { ...told, status: result.status };
  };
  return { ask };
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

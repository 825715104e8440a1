import assert from "node:assert/strict";
import { test } from "node:test";
import tool from "./exchange-rate.ts";

/** A service that answers with these responses, and what it was asked. */
function service(...responses: Response[]) {
  const asked: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    asked.push(String(url));
    return responses.shift() ?? Response.error();
  };
  return { asked, context: { fetch, secrets: { RATES_TOKEN: "demo" } } };
}
const INPUT = { amount: 10, from: "EUR", to: "USD" };

test("converts an amount at the rate that the service answers", async () => {
  const { asked, context } = service(Response.json({ rate: 1.0837 }));
  assert.deepEqual(await tool.run(INPUT, context), { amount: 10.84, rate: 1.0837 });
  assert.deepEqual(asked, ["https://rates.example.com/rates?from=EUR&to=USD"]);
});

test("fails, so that nothing is charged, if the service fails or answers nonsense", async () => {
  const { context } = service(new Response("", { status: 503 }), Response.json({ rate: 0 }));
  await assert.rejects(async () => tool.run(INPUT, context), /responded with 503/);
  await assert.rejects(async () => tool.run(INPUT, context), /rate/);
});

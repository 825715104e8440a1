import assert from "node:assert/strict";
import { test } from "node:test";
import tool from "./text-message.ts";

const MESSAGE = { to: "+4930123456", text: "Your table is ready." };

/** What a run gets, of a service that answers with this response; what the service was sent, and what the call was settled for. */
function service(response: Response) {
  const sent: { key: string | null; body: unknown }[] = [];
  const settled: number[] = [];
  const context = {
    secrets: { MESSAGES_TOKEN: "demo" },
    idempotencyKey: "acc_1/text-message/order-7",
    settle: (credits: number) => void settled.push(credits),
    async fetch(_: string | URL | Request, { headers, body }: RequestInit = {}) {
      const key = new Headers(headers).get("idempotency-key");
      sent.push({ key, body: JSON.parse(String(body)) });
      return response;
    },
  };
  return { sent, settled, context };
}

test("sends the message with the key of the call, and costs its parts", async () => {
  const { sent, settled, context } = service(Response.json({ id: "m1", parts: 2 }));
  assert.deepEqual(await tool.run(MESSAGE, context), { id: "m1", parts: 2 });
  assert.deepEqual(sent, [{ key: "acc_1/text-message/order-7", body: MESSAGE }]);
  assert.deepEqual(settled, [10]);
});

test("rejects a number that the service does not know", async () => {
  const { settled, context } = service(new Response("", { status: 422 }));
  const rejection = { name: "InvalidInput", message: "No phone has this number.", field: "to" };
  await assert.rejects(async () => tool.run(MESSAGE, context), rejection);
  assert.deepEqual(settled, []);
});

test("fails, so that nothing is charged, if the service does", async () => {
  const { settled, context } = service(new Response("", { status: 503 }));
  await assert.rejects(async () => tool.run(MESSAGE, context), /responded with 503/);
  assert.deepEqual(settled, []);
});

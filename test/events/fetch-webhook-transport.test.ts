import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { createFetchWebhookTransport, NotReached } from "#events/webhook-transport.ts";
import { serveHttp } from "../support/http-server.ts";
import { HOSTILE } from "./hostile-addresses.ts";

/** Webhooks sent with `fetch`, for runtimes without sockets. */
const NEVER = new AbortController().signal;
const request = (url: string) => ({ url, headers: { "webhook-id": "evt_1" }, body: "{}" });

const serve = async (t: TestContext, listener: RequestListener): Promise<string> =>
  `${await serveHttp(t, listener)}/hooks`;

test("nothing is sent to a hostile URL", async () => {
  const transport = createFetchWebhookTransport("public");
  for (const url of HOSTILE)
    await assert.rejects(transport.post(request(url), NEVER), NotReached, url.slice(0, 80));
});

test("a webhook arrives, and post resolves with the status of the response, redirects included", async (t) => {
  for (const status of [204, 307, 410, 500]) {
    const seen: unknown[] = [];
    const url = await serve(t, (asked, response) => {
      seen.push([asked.method, asked.url, asked.headers["webhook-id"]]);
      response.writeHead(status, { Location: "/elsewhere" }).end();
    });
    const transport = createFetchWebhookTransport("any");
    assert.deepEqual(await transport.post(request(url), NEVER), { status });
    assert.deepEqual(seen, [["POST", "/hooks", "evt_1"]]);
  }
});

test("a timeout, a rejected connection and an abort are described in sentences", async (t) => {
  const url = await serve(t, () => {});
  const message = async (sent: Promise<unknown>): Promise<string> => {
    const error: unknown = await sent.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof NotReached);
    return error.message;
  };
  const impatient = createFetchWebhookTransport("any", 200);
  assert.match(await message(impatient.post(request(url), NEVER)), /No response within/);
  const transport = createFetchWebhookTransport("any");
  const gone = await serve(t, () => {});
  const closed = gone.replace(/:\d+/, ":1");
  assert.match(await message(transport.post(request(closed), NEVER)), /Could not connect/);
  assert.match(
    await message(transport.post(request(url), AbortSignal.abort())),
    /Could not connect/,
  );
});

test("an endless response is not read", async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(8_192)));
    };
    response.on("drain", write);
    write();
  });
  const transport = createFetchWebhookTransport("any");
  assert.deepEqual(await transport.post(request(url), NEVER), { status: 200 });
});

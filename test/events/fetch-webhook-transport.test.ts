import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createFetchWebhookTransport } from "#events/fetch-webhook-transport.ts";
import { NotReached } from "#events/webhook-transport.ts";
import { HOSTILE } from "./hostile-addresses.ts";

/** Webhooks by `fetch`, as they go where there are no sockets. */
const NEVER = new AbortController().signal;
const request = (url: string) => ({ url, headers: { "webhook-id": "evt_1" }, body: "{}" });

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

test("nothing is asked of a hostile address", async () => {
  const transport = createFetchWebhookTransport("public");
  for (const url of HOSTILE)
    await assert.rejects(transport.post(request(url), NEVER), NotReached, url.slice(0, 80));
});

test("a webhook arrives, and the status of its answer comes back, a redirect's too", async (t) => {
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

test("silence, a refused connection and an abort are told in words", async (t) => {
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
  assert.match(await message(impatient.post(request(url), NEVER)), /No answer came/);
  const transport = createFetchWebhookTransport("any");
  const gone = await serve(t, () => {});
  const closed = gone.replace(/:\d+/, ":1");
  assert.match(await message(transport.post(request(closed), NEVER)), /No connection/);
  assert.match(await message(transport.post(request(url), AbortSignal.abort())), /No connection/);
});

test("an endless answer is not waited for", async (t) => {
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

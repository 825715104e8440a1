import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { FORWARD_CALLS_AT_ONCE, OWN_WAITING_THREADS } from "#limits.ts";
import { eventually } from "../../http/test-api.ts";
import { listen } from "../../support/ports.ts";
import { shareProject, tool } from "./tool-project.ts";

/** How many calls of an own tool run at once, and what a fault of one does to the others. */

/** A tool of `forward` whose service is at the URL. The function of its price does what the input says. */
const forwardTool = (url: string) => `import { forward, z } from "toolbooth";
export default forward({
  summary: "Waits for a service.", url: "${url}", effect: "act", timeLimitMs: 60_000,
  input: { does: z.string().default("") },
  price({ does }) {
    if (does === "exit") process.exit(0);
    return 1;
  },
  priceMax: 1,
});
`;

const readTool = (url: string) =>
  tool(`effect: "read", hosts: ["127.0.0.1"], timeLimitMs: 600_000,
    run: async (_, { fetch }) => (await fetch("${url}")).json()`);

/** A tool of an OpenAPI document, as YAML. */
const petsTool = `import { fromOpenApi } from "toolbooth";
export default fromOpenApi("./pets.yaml", { prices: { listPets: 1 } });
`;
const pets = (url: string) => `openapi: 3.1.0
servers: [{ url: "${url}" }]
paths:
  /:
    get: { operationId: listPets, responses: {} }
`;

/** What the service has received and not answered. */
const waiting: ServerResponse[] = [];
const service = createServer((request, response) => {
  request.resume();
  waiting.push(response);
});
after(() => {
  service.close();
  service.closeAllConnections();
});
const url = `http://127.0.0.1:${await listen(service)}/`;
const project = shareProject({
  "tools/forwards.ts": forwardTool(url),
  "tools/reads.ts": readTool(url),
  "tools/pets.ts": petsTool,
  "pets.yaml": pets(url),
});

describe("calls of a tool that waits", () => {
  let server: Awaited<ReturnType<typeof project>>;
  before(async () => {
    server = await project();
    writeFileSync(path.join(server.folder, "pets.yaml"), "a: [");
  });

  let keys = 0;
  async function call(name: string, does = "") {
    keys += 1;
    const key = { "Idempotency-Key": `key-${keys}` };
    for (;;) {
      const response = await server.call(name, name === "forwards" ? { does } : {}, key);
      // On a busy machine a call may wait for its thread until it is told to come again.
      if (response.status !== 503) return response;
    }
  }
  /** A call that ends before it has been answered fails the test, which would wait for it in vain. */
  async function arrived(calls: readonly ReturnType<typeof call>[]): Promise<void> {
    let early: Awaited<ReturnType<typeof call>> | undefined;
    for (const each of calls)
      void each.then((response) => {
        early ??= response;
      });
    const { length } = calls;
    await eventually(
      `${length} have arrived`,
      async () => waiting.length === length || early !== undefined,
    );
    assert.equal(early, undefined);
  }
  const answerAll = () => {
    for (const response of waiting.splice(0))
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"n":1}');
  };

  for (const [name, count] of [
    ["forwards", FORWARD_CALLS_AT_ONCE],
    ["list-pets", 1],
    ["reads", OWN_WAITING_THREADS],
  ] as const)
    test(`${count} calls of the tool ${name} are at its service at once`, async () => {
      const calls = Array.from({ length: count }, () => call(name));
      await arrived(calls);
      answerAll();
      const responses = await Promise.all(calls);
      for (const { status, charged, json } of responses)
        assert.deepEqual([status, charged, json.n], [200, "1", 1]);
    });

  test("a call that ends its thread fails the others of the thread, uncharged, and the next one runs", async () => {
    const balance = await server.balance();
    const others = ["a", "b"].map(() => call("forwards"));
    await arrived(others);
    assert.equal((await call("forwards", "exit")).json.code, "tool_failed");
    for (const { json } of await Promise.all(others)) {
      assert.equal(json.code, "tool_failed");
      assert.match(json.detail, /may have done its work/);
    }
    waiting.length = 0;
    assert.equal(await server.balance(), balance);
    const next = call("forwards");
    await arrived([next]);
    answerAll();
    assert.equal((await next).status, 200);
  });
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { newAccountId } from "#ids.ts";
import { DRAIN_SLACK_BYTES } from "#limits.ts";
import { openOneConnection } from "./one-connection.ts";
import { createCaller, openService } from "./test-api.ts";
import { keepWorkerd, openWorkerd, workerd } from "./workerd.ts";

/** workerd closes a connection whose request was answered unread, so what is refused is read first. */
keepWorkerd();
const RATE = { rateLimit: 100_000 };
const KB = 1024;

type Rejected = { what: string; status: number; sizes: number[] } & {
  method?: string;
  path?: string;
  key?: string;
};

test("in workerd: a connection survives every error, whatever the size of the body", async (t) => {
  const opened = await openWorkerd(RATE);
  const service = await openService({ ...workerd, open: async () => opened }, RATE);
  t.after(service.close);
  const [rich, poor] = [await createCaller(service), await createCaller(service, { credits: 0 })];
  const madeUp = makeKey(newAccountId(randomBytes), ["another secret altogether"], randomBytes);
  const small = [0, 1, 100, 16 * KB, 16 * KB + 1, DRAIN_SLACK_BYTES - 1];
  const large = [...small, 200 * KB, 1024 * KB, 6000 * KB];
  const uuids = [17 * KB, 20 * KB, 60 * KB];
  const problems: Rejected[] = [
    { what: "no key", status: 401, sizes: large },
    { what: "a made-up key", status: 401, sizes: large, key: madeUp },
    { what: "no key at all", status: 401, sizes: large, key: "tb_wrong" },
    { what: "no credits", status: 402, sizes: large, key: poor.key },
    { what: "no such path", status: 404, sizes: small, path: "/api/v1/none" },
    { what: "no such page", status: 404, sizes: small, path: "/none" },
    { what: "another method", status: 405, sizes: large.slice(0, -1), method: "PUT" },
    { what: "too large", status: 413, sizes: uuids, path: "/api/v1/uuid", key: rich.key },
    { what: "far too large", status: 413, sizes: [6200 * KB], key: rich.key },
    { what: "no JSON", status: 400, sizes: [1, 100, 200 * KB], key: rich.key },
  ];
  const ask = openOneConnection(t, opened.port);
  let requests = 0;
  for (const { what, status, sizes, method = "POST", path = "/api/v1/hash", key } of problems) {
    for (const size of sizes) {
      for (const chunked of [false, true]) {
        const headers = {
          "content-type": "application/json",
          [opened.service[0]]: opened.service[1],
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(chunked ? { "transfer-encoding": "chunked" } : { "content-length": size }),
        };
        const sent = `${what}, ${size} bytes${chunked ? ", chunked" : ""}`;
        assert.equal(await ask(sent, { path, method, headers }, "x".repeat(size)), status, sent);
        requests += 1;
      }
    }
  }
  t.diagnostic(`${requests} errors on one connection`);
});

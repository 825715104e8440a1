import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { listen } from "../../support/ports.ts";
import { shareProject } from "./tool-project.ts";

/** The tools in `examples/`, which people copy. */
const FOLDER = path.join(import.meta.dirname, "../../../examples/tools");
const files = readdirSync(FOLDER);
const tools = files.filter((file) => !file.includes(".test."));

test("each example has a test, and it passes", async () => {
  const tests = tools.map((file) => file.replace(".ts", ".test.ts"));
  assert.deepEqual(files.filter((file) => file.includes(".test.")).sort(), tests.sort());
  // The runner of this test would take what another one prints for its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--test", ...tests.map((file) => path.join(FOLDER, file))];
  // Not synchronous: connections that the other tests keep open would be closed by their servers unnoticed.
  await promisify(execFile)(process.execPath, args, { env });
});

let status = 200;
const sent: unknown[] = [];
const service = createServer((request, response) => {
  const isMessage = request.url === "/messages";
  if (isMessage) sent.push(request.headers["idempotency-key"]);
  const token = isMessage ? "of-messages" : "of-rates";
  const isKnown = request.headers.authorization === `Bearer ${token}`;
  response.writeHead(isKnown ? status : 401, { "content-type": "application/json" });
  response.end(isMessage ? '{"id":"m1","parts":2}' : '{"rate":1.25}');
});
after(() => service.close());
const url = `http://127.0.0.1:${await listen(service)}`;

const project = shareProject(
  Object.fromEntries(
    tools.map((file) => [`tools/${file}`, readFileSync(path.join(FOLDER, file), "utf8")]),
  ),
  {
    ...{ RATES_URL: url, RATES_TOKEN: "of-rates" },
    ...{ MESSAGES_URL: url, MESSAGES_TOKEN: "of-messages" },
  },
);

test("the examples are served as they are", async () => {
  const { call, balance } = await project();
  const before = await balance();

  const stats = await call("text-stats", { text: "Tools cost money. Who pays?" });
  assert.deepEqual(stats.json, { ok: true, words: 5, sentences: 2, seconds: 1 });
  const check = await call("javascript-check", { code: "let a;\nlet a;" });
  assert.equal(check.json.line, 2);
  const input = { amount: 10, from: "EUR", to: "USD" };
  const rate = await call("exchange-rate", input);
  assert.deepEqual(rate.json, { ok: true, amount: 12.5, rate: 1.25 });
  assert.equal(rate.charged, "2");
  const message = { to: "+4930123456", text: "Your table is ready." };
  const send = (key: string) => call("text-message", message, { "Idempotency-Key": key });
  assert.equal((await call("text-message", message)).json.code, "invalid_request", "without a key");
  const message7 = await send("order-7");
  assert.deepEqual([message7.json, message7.charged], [{ ok: true, id: "m1", parts: 2 }, "10"]);
  const again = await send("order-7");
  assert.deepEqual([again.json, again.charged], [message7.json, "0"]);
  assert.equal(sent.length, 1);
  assert.match(String(sent[0]), /^acc_\w+\/text-message\/order-7$/);
  status = 422;
  const unknown = await send("order-8");
  assert.deepEqual([unknown.json.code, unknown.json.errors[0].pointer], ["invalid_request", "/to"]);
  status = 503;
  for (const code of ["tool_failed", "outcome_unknown"])
    assert.equal((await send("order-8")).json.code, code);
  assert.equal(sent.length, 3, "it is not sent again");
  const failed = await call("exchange-rate", input);
  assert.equal(failed.json.code, "tool_failed");
  assert.equal(failed.charged, "0");
  const charged = [stats, check, rate, message7].reduce(
    (sum, each) => sum + Number(each.charged),
    0,
  );
  assert.equal(await balance(), before - charged);
});

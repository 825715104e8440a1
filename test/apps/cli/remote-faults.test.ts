import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, describe, test } from "node:test";
import { readRemote } from "#apps/cli/arguments.ts";
import { CommandError, UsageError } from "#apps/cli/command.ts";
import { COMMANDS } from "#apps/cli/commands.ts";
import { createHttpClient } from "#apps/cli/remote/client.ts";
import { explainNoResponse } from "#apps/cli/remote/faults.ts";
import { readConfig } from "#config/config.ts";
import { createDeployment, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";

/** Errors between the command line and a service: each message says what to do. */
const [command] = COMMANDS;
assert.ok(command);

const remoteOf = (typed: string | undefined, env: Record<string, string> = {}) =>
  readRemote(command, typed, readConfig({ TOOLBOOTH_OPERATOR_TOKEN: TOKEN, ...env }));

const sentenceOf = async (url: string, token = TOKEN): Promise<string> => {
  const client = createHttpClient({ url, token }, [0, 0, 0, 0, 0]);
  const error = await client.findAddress({ email: "ada@b.c" }).then(
    () => assert.fail("the request must fail"),
    (refused: Error) => refused,
  );
  assert.ok(error instanceof CommandError, error.stack);
  assert.match(error.message, /[.?]$/);
  assert.ok(!error.message.includes(token), "the message does not contain the token");
  return error.message;
};

/** Starts a server that sends the same response to every request. */
async function responding(status: number, body = "", headers: Record<string, string> = {}) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests: () => requests };
}

describe("the URL of a service", () => {
  test("must use https, or http to this machine", () => {
    for (const [typed, url] of [
      ["https://tools.example.com", "https://tools.example.com"],
      ["https://tools.example.com/below/", "https://tools.example.com/below"],
      ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
      ["http://localhost:8787/", "http://localhost:8787"],
      ["http://[::1]:8787", "http://[::1]:8787"],
    ] as const) {
      assert.deepEqual(remoteOf(typed), { url, token: TOKEN });
    }
    for (const [typed, sentence] of [
      ["http://tools.example.com", /would send the token unencrypted\. Use https/],
      ["http://127.0.0.1.example.com", /Use https/],
      ["http://localhost.example.com", /Use https/],
      ["tools.example.com", /must be the URL of a service/],
      ["", /must be the URL of a service/],
      ["ftp://tools.example.com", /must be the URL of a service/],
      ["https://me:hunter2@tools.example.com", /without user, password/],
      ["https://tools.example.com/?x=1", /without user, password/],
    ] as const) {
      assert.throws(
        () => remoteOf(typed),
        (error) =>
          error instanceof UsageError &&
          sentence.test(error.message) &&
          !/hunter2/.test(error.message),
        typed,
      );
    }
  });

  test("comes from --remote, and the token only from the environment", () => {
    assert.equal(remoteOf(undefined), null);
    assert.equal(remoteOf("https://one.example")?.url, "https://one.example");
    assert.throws(
      () => remoteOf("https://one.example", { TOOLBOOTH_OPERATOR_TOKEN: "" }),
      /TOOLBOOTH_OPERATOR_TOKEN in the environment/,
    );
    assert.ok(COMMANDS.every(({ parameters }) => !Object.keys(parameters).includes("token")));
  });
});

describe("errors of a remote service", { concurrency: 8 }, () => {
  test("explains a wrong token, a service without tokens and an older version", async () => {
    const url = await serve(createDeployment().app);
    assert.match(await sentenceOf(url, "x".repeat(40)), /rejects this token.*toolbooth-site/);
    const closed = await serve(createDeployment({ tokens: [] }).app);
    assert.match(
      await sentenceOf(closed),
      /has no operator API\. Check the URL, and set TOOLBOOTH_OPERATOR_TOKEN/,
    );
    const detail = 'This version of the service knows no operation "findAddress".';
    const old = await responding(400, JSON.stringify({ code: "unknown_operation", detail }));
    assert.match(
      await sentenceOf(old.url),
      /has a different version than this command line.*Deploy this version/,
    );
    assert.equal(old.requests(), 1, "the client does not retry");
  });

  test("shows the response of a service with invalid settings without retrying", async () => {
    const text =
      "This service is not set up yet: a setting is missing.\u001b[2J Look in its log.\n";
    const headers = { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "60" };
    const { url, requests } = await responding(503, text, headers);
    assert.equal(
      await sentenceOf(url),
      `${url} responded: This service is not set up yet: a setting is missing. [2J Look in its log.`,
    );
    assert.equal(requests(), 1);
  });

  test("recognizes responses that are not from the operator API", async () => {
    for (const [status, body] of [
      [200, "<html>hello</html>"],
      [404, "not found"],
      [403, "<html>"],
      [200, "null"],
      [200, '{"ok":false}'],
    ] as const) {
      const { url, requests } = await responding(status, body);
      assert.match(
        await sentenceOf(url),
        /is not from Toolbooth's operator API \(status \d+\)\. Check/,
      );
      assert.equal(requests(), 1);
    }
  });

  test("reports a redirect and does not follow it", async () => {
    const target = await responding(200, '{"ok":true,"outcome":null}');
    const { url } = await responding(302, "", { Location: `${target.url}/elsewhere` });
    const sentence = await sentenceOf(url);
    assert.ok(sentence.endsWith(`use --remote ${target.url}.`), sentence);
    assert.equal(target.requests(), 0);
  });

  test("reports a refused connection and an unknown host without retrying", async () => {
    const server = createTcpServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    assert.match(
      await sentenceOf(`http://127.0.0.1:${port}`),
      /Cannot connect to .*\(ECONNREFUSED\)/,
    );
    const unknown = Object.assign(new Error(), { code: "ENOTFOUND" });
    assert.match(
      explainNoResponse(new TypeError("fetch failed", { cause: unknown }), "https://no.example"),
      /The host no\.example cannot be resolved/,
    );
  });

  test("explains an insecure connection, a timeout and a lost connection", async () => {
    const { url } = await responding(200);
    assert.match(
      await sentenceOf(url.replace("http:", "https:")),
      /is not secure \(\w+\), so the token was not sent/,
    );
    const timeout = new DOMException("late", "TimeoutError");
    assert.match(explainNoResponse(timeout, "https://x.example"), /did not respond in time/);
    const reset = Object.assign(new Error(), { code: "ECONNRESET" });
    assert.match(
      explainNoResponse(reset, "https://x.example"),
      /failed \(ECONNRESET\), even after retries/,
    );
  });

  test("retries a busy service with pauses, and then fails with the service's message", async () => {
    const busy = JSON.stringify({ code: "unavailable", detail: "The ledger is overloaded." });
    const { url, requests } = await responding(503, busy, { "Retry-After": "0" });
    assert.equal(await sentenceOf(url), "The ledger is overloaded.");
    assert.equal(requests(), 6);
    const long = await responding(503, busy, { "Retry-After": "3600" });
    await sentenceOf(long.url);
    assert.equal(long.requests(), 1, "the client does not wait an hour");
  });
});

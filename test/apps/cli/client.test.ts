/** The command line and the services that it speaks to: their addresses, their faults, and lost responses. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { createClient } from "#apps/cli/client.ts";
import { CommandError } from "#apps/cli/command-error.ts";
import { listAccounts } from "#operator/accounts.ts";
import { grantCredits } from "#operator/credits.ts";
import { backupData } from "#operator/data.ts";
import { createDeployment, PEER, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { freePort, listen } from "../../support/ports.ts";
import { commandLine, temporaryFolder } from "./fixture.ts";

/** The command line on a deployed service on a loopback address. */
async function fixture(before?: Parameters<typeof serve>[1]) {
  const deployment = createDeployment();
  const url = await serve(deployment.app, before);
  const dataDir = path.join(temporaryFolder(), "data");
  const env = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  return { deployment, url, dataDir, env, cli: commandLine(dataDir, env) };
}

const NOWHERE = { dataDir: "/nowhere", databaseUrl: null };

const sentenceOf = async (url: string, token = TOKEN): Promise<string> => {
  const client = createClient({ url, token }, NOWHERE, () => {}, [0, 0, 0, 0, 0]);
  const error = await client.send(listAccounts, {}).then(
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
  after(() => server.close());
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, requests: () => requests };
}

describe("the URL of a service", () => {
  const cli = commandLine("/nowhere", { TOOLBOOTH_OPERATOR_TOKEN: TOKEN });

  test("must use https, or http to this machine, and must not have a password", async () => {
    for (const [typed, sentence] of [
      ["http://tools.example.com", /would send the token unencrypted\. Use https/],
      ["http://127.0.0.1.example.com", /Use https/],
      ["http://localhost.example.com", /Use https/],
      ["tools.example.com", /must be the URL of a service/],
      ["ftp://tools.example.com", /must be the URL of a service/],
      ["https://me:hunter2@tools.example.com", /without user, password/],
      ["https://tools.example.com/?x=1", /without user, password/],
    ] as const) {
      const said = await cli.wrong(`account list --remote ${typed}`);
      assert.match(said, sentence);
      assert.doesNotMatch(said, /hunter2/);
    }
  });

  test("needs the token, which comes only from the environment", async () => {
    const env = { TOOLBOOTH_OPERATOR_TOKEN: "" };
    assert.match(
      await cli.refused("account list --remote https://one.example", { env }),
      /TOOLBOOTH_OPERATOR_TOKEN in the environment/,
    );
  });

  test("works before and after the command, and messages name the service", async () => {
    const { url, dataDir, env } = await fixture();
    const { "--remote": _, ...token } = env;
    const line = commandLine(dataDir, token);
    await line.json(`account create ada@b.co --credits 3 --remote ${url}/`);
    const { balance } = await line.json(`--remote ${url} credits show ada@b.co`);
    assert.equal(balance, 3);
    await line.json(`account suspend ada@b.co --remote ${url}`);
    for (const named of [`--remote ${url}`, `--remote=${url}`]) {
      const { stderr } = await line.run(`key create ada@b.co --label l ${named}`);
      assert.match(stderr, /run `npm run -s toolbooth -- --remote \S+ account resume ada@b\.co`/);
    }
  });
});

test("an order whose response is lost is sent again, carried out once, and gets its response", async () => {
  const lost = new Map<string, number>();
  const { deployment, cli } = await fixture(async (request) => {
    const body = await request.text();
    const { pathname } = new URL(request.url);
    const again = new Request(request.url, { method: "POST", headers: request.headers, body });
    const response = await deployment.app.fetch(again, PEER);
    // As on another node, or after a restart.
    deployment.app = deployment.restarted();
    const times = lost.get(pathname) ?? 0;
    lost.set(pathname, times + 1);
    // The first response to each operation is lost after the operation was done.
    return times > 0 ? response : new Response("bad gateway", { status: 502 });
  });
  await cli.json("account create ada@b.co --credits 5");
  assert.equal((await cli.json("credits grant ada@b.co 5")).granted, true);
  assert.equal((await cli.json("credits show ada@b.co")).balance, 10);
  const { id, key } = await cli.json("key create ada@b.co --label l");
  const [stored] = (await cli.json("key list ada@b.co")).keys;
  assert.ok(stored.id === id && key.startsWith(stored.start), "the key that works is shown");
  const moved = await cli.run("account set-email ada@b.co ada@new.example");
  assert.equal(moved.stdout, "The account already has the address ada@new.example.\n");
  const closed = await cli.run("account close ada@new.example");
  assert.match(
    closed.stdout,
    /^Closed the account of ada@new\.example\. .+ 10 credits were forfeited/,
  );
  assert.equal((await cli.json("audit")).totals.voided, 10);
});

test("a command that may have been carried out says so when it fails, and one that only reads does not", async () => {
  const lost = createTcpServer((socket) => socket.destroy());
  after(() => lost.close());
  const { url: other } = await responding(200, '{"ok":true,"result":{"more":1},"messages":[]}');
  const { url: unsure } = await responding(500, '{"code":"internal","detail":"It is not known."}');
  for (const url of [`http://127.0.0.1:${await listen(lost)}`, other, unsure]) {
    const client = createClient({ url, token: TOKEN }, NOWHERE, () => {}, [0]);
    const order = { email: "ada@b.co", credits: 5 };
    await assert.rejects(client.send(grantCredits, order), /The command may have been carried out/);
    assert.doesNotMatch(await sentenceOf(url), /carried out|safe/);
  }
  const { url: refused } = await responding(503, '{"code":"unavailable","detail":"Not now."}');
  const client = createClient({ url: refused, token: TOKEN }, NOWHERE, () => {}, [0]);
  await assert.rejects(
    client.send(grantCredits, { email: "ada@b.co", credits: 5 }),
    /^Error: Not now\.$/,
  );
});

test("an attempt that takes long is not repeated, because the service may still be at work on it", async () => {
  const { url, requests } = await responding(500, '{"code":"internal","detail":"Not in time."}');
  const client = createClient({ url, token: TOKEN }, NOWHERE, () => {}, [0, 0, 0], 0);
  await assert.rejects(client.open(backupData, {}), /Not in time/);
  assert.equal(requests(), 1);
});

test("an order whose response breaks off is sent again, and gets its response", async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await readText(request));
    const text = JSON.stringify({ ok: true, result: { accounts: [], next: null }, messages: [] });
    response.writeHead(200, { "Content-Length": text.length });
    if (bodies.length > 1) response.end(text);
    else response.write(text.slice(0, 20), () => response.destroy());
  });
  after(() => server.close());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const client = createClient({ url, token: TOKEN }, NOWHERE, () => {}, [0]);
  assert.deepEqual(await client.send(listAccounts, {}), { accounts: [], next: null });
  assert.deepEqual(bodies, ["{}", "{}"]);
});

test("audit and report read many accounts with few requests, and name the account of a fault", async () => {
  let requests = 0;
  const { cli, deployment } = await fixture(() => {
    requests += 1;
    return undefined;
  });
  const now = Date.now();
  for (let i = 0; i < 60; i += 1) {
    const account = `acc_Many${String(i).padStart(7, "0")}0`;
    await deployment.index.record({ account, now });
    await deployment.ledger.openAccount({ account, freeCall: "open", now });
    const grant = { account, id: "g", kind: "operator" as const, amount: i + 1 };
    await deployment.ledger.grant({ ...grant, expiresAt: null, now });
  }
  // An account that is listed but was never opened.
  await deployment.index.record({ account: "acc_Never0000000", now });
  const audit = await cli.json("audit");
  assert.deepEqual([audit.ok, audit.accounts, audit.totals.granted], [true, 60, 1830]);
  assert.equal(requests, 2);
  const { granted, grants, ledger } = await cli.json("report --from 2020-01-01 --to 2099-01-01");
  assert.deepEqual([granted, grants.length, ledger.accounts], [1830, 60, 60]);
  deployment.objects
    .get("acc_Many00000070")
    ?.driver.exec("UPDATE credit_grant SET voided = 1, remaining = 1");
  const { ok, faults } = await cli.failed("audit");
  assert.equal(ok, false);
  assert.match(faults[0], /^acc_Many00000070: 8 credits were granted, but 2 are accounted for/);
  const { stdout } = await cli.run("audit");
  assert.match(stdout, /^The ledger does not reconcile:\n- acc_Many00000070: /);
});

describe("errors of a service", { concurrency: 8 }, () => {
  test("a wrong token, a service without a token and another version are explained without a retry", async () => {
    const url = await serve(createDeployment().app);
    assert.match(await sentenceOf(url, "x".repeat(40)), /rejects this token.*toolbooth-site/);
    const closed = await serve(createDeployment({ token: null }).app);
    assert.match(await sentenceOf(closed), /set TOOLBOOTH_OPERATOR_TOKEN for the server/);
    const other = await responding(200, '{"ok":true,"result":{"more":1},"messages":[]}');
    assert.match(await sentenceOf(other.url), /has a different version than this command line/);
    assert.equal(other.requests(), 1);
  });

  test("the response of a service with invalid settings is shown without control characters", async () => {
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

  test("a response that is not from the operator API is recognized", async () => {
    for (const [status, body] of [
      [404, "not found"],
      [403, "<html>"],
    ] as const) {
      const { url, requests } = await responding(status, body);
      assert.match(await sentenceOf(url), /is not from Toolbooth's operator API \(status \d+\)/);
      assert.equal(requests(), 1);
    }
    for (const body of ["<html>hello</html>", "null", '{"ok":false}'])
      assert.match(await sentenceOf((await responding(200, body)).url), /different version/);
  });

  test("a redirect is reported and not followed", async () => {
    const target = await responding(200, "{}");
    const { url } = await responding(302, "", { Location: `${target.url}/elsewhere` });
    const sentence = await sentenceOf(url);
    assert.ok(sentence.endsWith(`use --remote ${target.url}.`), sentence);
    assert.equal(target.requests(), 0);
  });

  test("a refused connection, an unknown host and an insecure connection are reported without a retry", async () => {
    assert.match(
      await sentenceOf(`http://127.0.0.1:${await freePort()}`),
      /Cannot connect to .*\(ECONNREFUSED\)/,
    );
    const { url } = await responding(200);
    assert.match(
      await sentenceOf(url.replace("http:", "https:")),
      /is not secure \(\w+\), so the token was not sent/,
    );
  });

  test("a lost connection and a busy service are tried again with pauses", async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      if (connections > 1) socket.destroy();
      else
        socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    });
    after(() => server.close());
    assert.match(
      await sentenceOf(`http://127.0.0.1:${await listen(server)}`),
      /failed \(ECONNRESET\)\. Try again later/,
    );
    assert.equal(connections, 6);
    const busy = JSON.stringify({ code: "unavailable", detail: "The ledger is overloaded." });
    const { url, requests } = await responding(503, busy, { "Retry-After": "0" });
    assert.equal(await sentenceOf(url), "The ledger is overloaded.");
    assert.equal(requests(), 6);
    const long = await responding(503, busy, { "Retry-After": "3600" });
    await sentenceOf(long.url);
    assert.equal(long.requests(), 1, "the client does not wait an hour");
  });
});

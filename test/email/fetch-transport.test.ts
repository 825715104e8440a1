import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { readMailSettings, transportKindOf } from "#email/read-mail-settings.ts";
import { TemporaryFailure, Undeliverable, Unreachable } from "#email/transport.ts";
import { bodyOf, serveHttp } from "../support/http-server.ts";
import { createFixture, emailTo, FROM, START } from "./mail-fixture.ts";

/** Emails sent over HTTP to a provider on this machine, which responds as the test says. */

const TOKEN = "re_a_token_of_a_test";
const ID = "<eml_1@toolbooth.example>";
const never = new AbortController().signal;

type SentRequest = {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
};

async function openProvider(t: TestContext, result: (response: ServerResponse) => void) {
  const requests: SentRequest[] = [];
  const origin = await serveHttp(t, async (request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push({ method, path: url, headers, body: await bodyOf(request) });
    result(response);
  });
  return { requests, url: `${origin}/emails` };
}

const responding =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers);
    response.end('{"message":"ada@example.com https://link.example/secret"}');
  };

async function errorOf(sent: Promise<void>): Promise<Error> {
  return sent.then(
    () => assert.fail("it was accepted"),
    (error: Error) => error,
  );
}

test("an email has the format of Resend, and the same idempotency key at every attempt", async (t) => {
  const { requests, url } = await openProvider(t, responding(200));
  const transport = createFetchTransport({ url, token: TOKEN }, FROM);
  const email = emailTo("ada@example.com", { subject: "Grüße" });
  const post = "https://toolbooth.example/unsubscribe?token=a";
  await transport.send(email, ID, never);
  await transport.send({ ...email, unsubscribe: post }, ID, never);
  const [first, second] = requests as [SentRequest, SentRequest];
  assert.deepEqual([first.method, first.path], ["POST", "/emails"]);
  assert.equal(first.headers.authorization, `Bearer ${TOKEN}`);
  assert.equal(first.headers["content-type"], "application/json");
  assert.equal(first.headers["user-agent"], "toolbooth");
  assert.equal(first.headers["idempotency-key"], ID);
  assert.equal(second.headers["idempotency-key"], ID);
  const common = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
  assert.deepEqual(JSON.parse(first.body), {
    from: "Toolbooth <post@toolbooth.example>",
    to: ["ada@example.com"],
    subject: "Grüße",
    text: "text",
    html: "<p>html</p>",
    headers: common,
  });
  assert.deepEqual(JSON.parse(second.body).headers, {
    ...{ ...common, "List-Unsubscribe": `<${post}>` },
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  });
});

test("a sender's name is quoted where necessary, and omitted where there is none", async (t) => {
  const { requests, url } = await openProvider(t, responding(202));
  for (const [name, from] of [
    ["", "post@a.example"],
    ["Tools, Inc.", '"Tools, Inc." <post@a.example>'],
    ["A\\B", '"A\\\\B" <post@a.example>'],
    ["Zoë", "Zoë <post@a.example>"],
  ] as const) {
    const sender = { name, address: "post@a.example" };
    await createFetchTransport({ url, token: TOKEN }, sender).send(emailTo("b@c.d"), ID, never);
    assert.equal(JSON.parse(requests.at(-1)?.body ?? "").from, from);
  }
});

test("each status is classified by whether the email, the moment or the setup is the cause, without quoting the response", async (t) => {
  let status = 0;
  const { url } = await openProvider(t, (response) => responding(status)(response));
  const transport = createFetchTransport({ url, token: TOKEN }, FROM);
  for (const [statuses, kind] of [
    [[400, 413, 422, 451], Undeliverable],
    [[408, 409, 429, 500, 502, 503, 529], TemporaryFailure],
    [[301, 307, 401, 402, 403, 404, 405], Unreachable],
  ] as const) {
    for (status of statuses) {
      const error = await errorOf(transport.send(emailTo("ada@example.com"), ID, never));
      assert.ok(error instanceof kind, `${status}: ${error.name}`);
      assert.match(error.message, new RegExp(`^the email provider .*\\(${status}\\)$`));
      assert.doesNotMatch(error.message + String(error.cause), /ada@|secret|re_a_token/);
    }
  }
});

test("a redirect is not followed, because it would get the token", async (t) => {
  const elsewhere = await openProvider(t, responding(200));
  const { url } = await openProvider(t, responding(307, { Location: elsewhere.url }));
  const transport = createFetchTransport({ url, token: TOKEN }, FROM);
  assert.ok((await errorOf(transport.send(emailTo("a@b.c"), ID, never))) instanceof Unreachable);
  assert.deepEqual(elsewhere.requests, []);
});

test("a Retry-After in seconds is respected up to an hour, and any other value is ignored", async (t) => {
  const cases = [
    ["120", 120_000],
    ["999999", 3_600_000],
    ["Wed, 21 Oct 2026 07:28:00 GMT", 5_000],
    ["-5", 5_000],
  ] as const;
  for (const [text, wait] of cases) {
    const { url } = await openProvider(t, responding(429, { "Retry-After": text }));
    const transport = createFetchTransport({ url, token: TOKEN }, FROM);
    const { sender } = createFixture({ transport, now: () => START });
    await sender.mail.enqueue(emailTo("ada@example.com"));
    assert.equal(await sender.deliverDue(), START + wait, text);
  }
});

test("a provider that is down or silent is unreachable, and an abort ends the wait", async (t) => {
  const silent = await openProvider(t, () => {});
  const late = createFetchTransport({ url: silent.url, token: TOKEN }, FROM, 20);
  const error = await errorOf(late.send(emailTo("a@b.c"), ID, never));
  assert.ok(error instanceof Unreachable);
  assert.match(error.message, /timeout/);

  const gone = createFetchTransport({ url: "http://127.0.0.1:1/emails", token: TOKEN }, FROM);
  const refused = await errorOf(gone.send(emailTo("a@b.c"), ID, never));
  assert.ok(refused instanceof Unreachable);
  assert.match(refused.message, /no connection/);

  const stop = new AbortController();
  const patient = createFetchTransport({ url: silent.url, token: TOKEN }, FROM);
  const sent = errorOf(patient.send(emailTo("a@b.c"), ID, stop.signal));
  stop.abort();
  assert.ok((await sent) instanceof Unreachable);
});

test("MAIL_API_TOKEN is the alternative to SMTP_URL, and conflicts are reported in sentences", () => {
  const read = (
    apiToken?: string,
    apiUrl?: string,
    smtpUrl?: string,
    mailFrom = "post@a.example",
  ) => readMailSettings({ apiToken, apiUrl, smtpUrl, mailFrom });
  const { settings, problems } = read(TOKEN);
  assert.deepEqual(problems, []);
  assert.deepEqual(settings.api, { url: "https://api.resend.com/emails", token: TOKEN });
  assert.equal(transportKindOf(settings), "smtp");
  assert.equal(transportKindOf(read().settings), "outbox");
  assert.deepEqual(read(TOKEN, "http://127.0.0.1:9/x").problems, []);
  const none = { smtpUrl: undefined, mailFrom: undefined };
  for (const [given, fault] of [
    [read(TOKEN, undefined, "smtp://mx.example"), /^SMTP_URL and MAIL_API_TOKEN are alternatives/],
    [read(undefined, "https://mail.example"), /^MAIL_API_URL requires MAIL_API_TOKEN/],
    [read(TOKEN, "http://mail.example"), /^MAIL_API_URL must be an https URL/],
    [read(TOKEN, "https://a:hunter2@mail.example"), /^MAIL_API_URL must be an https URL/],
    [read(TOKEN, "mail.example"), /^MAIL_API_URL must be an https URL/],
    [read("hunter2 hunter2"), /^MAIL_API_TOKEN must be printable ASCII/],
    [readMailSettings({ ...none, apiToken: TOKEN }), /^MAIL_FROM is required with MAIL_API_TOKEN/],
  ] as const) {
    assert.equal(given.problems.length, 1, String(fault));
    assert.match(given.problems[0] as string, fault);
    assert.doesNotMatch(given.problems[0] as string, /hunter2/);
  }
});

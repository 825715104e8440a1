import assert from "node:assert/strict";
import { test } from "node:test";
import { readMailSettings } from "#email/read-mail-settings.ts";

const read = (smtpUrl?: string, mailFrom?: string) => readMailSettings({ smtpUrl, mailFrom });

test("without SMTP_URL emails go to the outbox", () => {
  const { settings, problems } = read();
  assert.deepEqual(problems, []);
  assert.equal(settings.smtp, null);
  assert.deepEqual(settings.from, { name: "Toolbooth", address: "toolbooth@localhost" });
});

test("SMTP_URL sets the server, TLS, user and password", () => {
  const login = { user: "a@b", password: "p:ss" };
  const remote = { isLoopback: false, login };
  const local = { isLoopback: true, login: null };
  for (const [url, server] of [
    ["smtp://a%40b:p%3Ass@mx.example", { host: "mx.example", port: 587, secure: false, ...remote }],
    ["smtps://a%40b:p:ss@mx.example/", { host: "mx.example", port: 465, secure: true, ...remote }],
    ["smtp://localhost:1025", { host: "localhost", port: 1025, secure: false, ...local }],
    ["smtp://[::1]:25", { host: "::1", port: 25, secure: false, ...local }],
    ["smtp://127.0.0.2", { host: "127.0.0.2", port: 587, secure: false, ...local }],
  ] as const) {
    const { settings, problems } = read(url, "post@example.org");
    assert.deepEqual(problems, [], url);
    assert.deepEqual(settings.smtp, server, url);
  }
});

test("errors are sentences without the password", () => {
  for (const url of [
    "mx.example",
    "http://a:hunter2@mx.example",
    "smtp://a:hunter2@",
    "smtp://a:hunter2@mx.example/path",
    "smtp://a:hunter2@mx.example?pool=true",
    "smtp://a:hunter2%@mx.example",
    "smtp://hunter2@mx.example",
    "smtp://a:hunter2@mx.example:99999",
    "",
  ]) {
    const { problems } = read(url, "post@example.org");
    assert.equal(problems.length, 1, url);
    assert.match(problems[0] as string, /^SMTP_URL must .+\.$/);
    assert.doesNotMatch(problems[0] as string, /hunter2/);
  }
});

test("MAIL_FROM is an address with or without a name, and is required with a server", () => {
  for (const [text, name, address] of [
    ["post@example.org", "", "post@example.org"],
    ["Toolbooth <post@example.org>", "Toolbooth", "post@example.org"],
    ['"Tools, Inc." <post@example.org>', "Tools, Inc.", "post@example.org"],
    ["<post@example.org>", "", "post@example.org"],
  ] as const) {
    const { settings, problems } = read("smtp://mx.example", text);
    assert.deepEqual([settings.from, problems], [{ name, address }, []]);
  }
  for (const text of [
    undefined,
    "post",
    "a@b.c, d@e.f",
    "A <a@b.c>\r\nBcc: x@y.z",
    "A\r\nB <a@b.c>",
  ]) {
    const { problems } = read("smtp://mx.example", text);
    assert.equal(problems.length, 1, text);
    assert.match(problems[0] as string, /^MAIL_FROM .+\.$/);
  }
});

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";

test("without PUBLIC_URL, a service on all interfaces warns, accepts a sign-up from this machine and keeps the link out of the log", {
  timeout: 300_000,
}, async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const env = { DATA_DIR, HOST: "0.0.0.0", TOOLBOOTH_LOG_LEVEL: "info" };
  const server = await startServer(t, env);
  const { port } = server;
  const signUp = (origin: string) =>
    fetch(`http://127.0.0.1:${port}/dashboard/auth/sign-up/email`, {
      method: "POST",
      headers: { origin, "content-type": "application/json", "x-forwarded-for": "192.0.2.1" },
      body: JSON.stringify({ name: "", email: "ada@example.com", password: "correct horse 1" }),
    });
  assert.equal((await signUp(`http://localhost:${port}`)).status, 200);
  assert.equal((await signUp("https://elsewhere.example")).status, 403);
  const outbox = path.join(DATA_DIR, "outbox");
  await eventually("the log names the file", async () => server.written().includes(".eml"));
  assert.equal(readdirSync(outbox).length, 1);
  await server.end("SIGTERM");
  const written = server.written();
  assert.doesNotMatch(written, /token=/);
  for (const warning of ["PUBLIC_URL is not set", "No emails are sent because neither"]) {
    assert.match(written, new RegExp(`^${warning}`, "m"), "at the terminal");
    assert.match(written, new RegExp(`"level":"warn".*"msg":"${warning}`), "in the log");
  }
  assert.equal(written.match(/not in TOOLBOOTH_TRUSTED_PROXIES/g)?.length, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "#config/config.ts";
import { baseOf, isOwnMachine, originsOf, warningsOf } from "../../../src/apps/node/addresses.ts";

const config = (env: Record<string, string>) => readConfig(env);
const LOCAL = ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"];

for (const HOST of ["0.0.0.0", "::", "127.0.0.1", "localhost"]) {
  test(`HOST=${HOST} without PUBLIC_URL: users of this machine can sign up under any of its names`, () => {
    const settings = config({ HOST });
    assert.deepEqual(originsOf(settings, 8787).sort(), [...LOCAL].sort());
    assert.ok(originsOf(settings, 8787).includes(new URL(baseOf(settings, 8787)).origin));
    assert.doesNotMatch(baseOf(settings, 8787), /0\.0\.0\.0|\[::\]/);
  });
}

test("an address of one network interface is the only origin, and so is PUBLIC_URL", () => {
  assert.deepEqual(originsOf(config({ HOST: "192.0.2.7" }), 8787), ["http://192.0.2.7:8787"]);
  for (const HOST of ["0.0.0.0", "127.0.0.1"]) {
    const settings = config({ HOST, PUBLIC_URL: "https://tools.example/path/" });
    assert.deepEqual(originsOf(settings, 8787), ["https://tools.example"]);
    assert.equal(baseOf(settings, 8787), "https://tools.example/path");
  }
});

test("the start warns about missing settings if others can reach the service, and not on a local machine", () => {
  const warnings = (env: Record<string, string>) => warningsOf(config(env), "/data/outbox", 8787);
  const SMTP = { SMTP_URL: "smtp://mail.example", MAIL_FROM: "post@tools.example" };
  const API = { MAIL_API_TOKEN: "a-token", MAIL_FROM: "post@tools.example" };
  assert.deepEqual(warnings({}), []);
  const [url, emails, ...more] = warnings({ HOST: "0.0.0.0" });
  assert.match(url ?? "", /^PUBLIC_URL is not set\. .* http:\/\/localhost:8787, .*sign in/);
  assert.match(
    emails ?? "",
    /^No emails are sent because neither SMTP_URL nor MAIL_API_TOKEN is set\. .*stay in \/data\/outbox/,
  );
  assert.match(emails ?? "", /Set one of the two, and MAIL_FROM\.$/);
  assert.deepEqual(more, []);
  assert.equal(warnings({ PUBLIC_URL: "https://tools.example" }).length, 1);
  for (const mail of [SMTP, API])
    assert.deepEqual(
      warnings({ HOST: "0.0.0.0", PUBLIC_URL: "https://tools.example", ...mail }),
      [],
    );
});

test("a local machine is one that no other machine can reach", () => {
  assert.ok(isOwnMachine(config({})));
  assert.ok(!isOwnMachine(config({ HOST: "0.0.0.0" })));
  assert.ok(isOwnMachine(config({ PUBLIC_URL: "http://localhost:8787" })));
  assert.ok(!isOwnMachine(config({ PUBLIC_URL: "https://tools.example" })));
  assert.ok(!isOwnMachine(config({ HOST: "0.0.0.0", PUBLIC_URL: "http://localhost:8787" })));
});

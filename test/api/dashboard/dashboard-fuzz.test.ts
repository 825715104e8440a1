import assert from "node:assert/strict";
import { test } from "node:test";
import { anyCodeUnits, anyPath } from "../../support/arbitraries.ts";
import fc from "../../support/properties.ts";
import { clock } from "./clock.ts";
import { openFixture, openMember } from "./dashboard-fixture.ts";
import { PROVIDERS } from "./providers.ts";

const RUNS = Number(process.env["TEST_FUZZ_RUNS"] ?? 100);

const PATHS = [
  ...["visitor", "home", "keys", "keys/key_1", "keys/others", "usage", "credits", "sessions"],
  ...["credits/entries", "sessions/others", "sessions/x", "events", "account/close", "", "x"],
  ...["auth/sign-in/start", "auth/sign-in/code", "auth/sign-in/link", "auth/sign-in/social"],
  ...["auth/sign-out", "auth/undo-email-change", "account/email", "account/email/code"],
  ...["passkeys", "passkeys/required", "proof", "auth/get-session"],
  ...["auth/callback/github", "auth/callback/google", "auth/callback/evil"],
];
const NAMES = [
  ...["email", "code", "secret", "requiresPasskey", "purpose", "method", "label"],
  ...["provider", "callbackURL", "errorCallbackURL", "signUp", "name"],
  ...["__proto__", "constructor", "emailVerified", "idToken"],
];
const anyText = fc.oneof(
  fc.constantFrom("", "ann@example.com", "github", "google", "/home", "https://evil.test", "\0"),
  fc.constantFrom("ünï@exämple.com", "a@b", `${"x".repeat(300)}@example.com`, "\ud800@x.test"),
  anyCodeUnits(40),
  fc.string({ maxLength: 2_000 }),
);
const anyValue = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const anyObject = fc
  .dictionary(fc.constantFrom(...NAMES), anyValue)
  .map((each) => JSON.stringify(each));
const anyBody = fc.oneof(
  { weight: 6, arbitrary: anyObject },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "[[", "null", "7", '"x"', "x".repeat(70_000)) },
);
const headerText = fc
  .string({ maxLength: 60 })
  .map((text) => text.replaceAll(/[^\x21-\x7e]/g, "~"));
const anyHeaders = fc.dictionary(
  fc.constantFrom(
    ...["content-type", "accept", "x-toolbooth-peer", "x-forwarded-for", "x-forwarded-host"],
    ...["authorization", "user-agent", "referer", "x-request-id", "accept-language"],
  ),
  headerText,
  { maxKeys: 3 },
);
const anyQuery = fc.array(
  fc.tuple(
    fc.constantFrom(
      "token",
      "from",
      "to",
      "after",
      "code",
      "state",
      "error",
      "callbackURL",
      "user",
    ),
    anyText,
  ),
  { maxLength: 3 },
);
const anyCookie = fc.option(
  fc.tuple(fc.constantFrom("tb.session_token", "tb.known", "tb.state", "tb.attempt"), headerText),
);

test("the response to any request is JSON with a code and a request id, and never an internal error", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const { browser: member, email } = await openMember(fixture);
  const request = fc.record({
    method: fc.constantFrom(
      "GET",
      "POST",
      "POST",
      "POST",
      "PATCH",
      "DELETE",
      "PUT",
      "HEAD",
      "OPTIONS",
    ),
    path: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...PATHS) },
      { weight: 1, arbitrary: anyPath.map((path) => path.slice(1)) },
    ),
    query: anyQuery,
    body: anyBody,
    headers: anyHeaders,
    cookie: anyCookie,
    isIn: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body, headers, cookie, isIn }) => {
      clock.advance(1);
      const browser = fixture.browser();
      // Some of what is asked ends the session.
      if ((await fixture.rows("SELECT id FROM user_session")).length === 0) {
        // An address gets twelve codes a day.
        clock.advance(3 * 3_600_000);
        assert.equal((await fixture.signIn(member, email)).status, 200);
      }
      if (isIn) for (const [name, value] of member.cookies) browser.cookies.set(name, value);
      if (cookie !== null) browser.cookies.set(...cookie);
      const search = new URLSearchParams(
        query.map(([name, text]): [string, string] => [name, text.toWellFormed()]),
      );
      const hasBody = method !== "GET" && method !== "HEAD";
      const response = await browser.send(
        method,
        `/dashboard/${path}?${search}`,
        hasBody ? body : undefined,
        headers,
      );
      assert.ok(
        response.status < 500,
        `${response.status} ${response.text}\n${fixture.loggedErrors.at(-1)}`,
      );
      // The way back from a provider leads to a page; HEAD goes nowhere.
      const isWayBack = response.status === 302 || response.status === 204;
      if (isWayBack) assert.match(path, /^auth\/callback\//);
      else if (method === "HEAD") assert.equal(response.text, "");
      else if (response.status >= 400) assert.equal(typeof response.code, "string", response.text);
      if (!isWayBack) {
        assert.match(
          response.headers.get("content-type") ?? "",
          /^application\/(?:problem\+)?json/,
        );
      }
    }),
    { numRuns: RUNS },
  );
});

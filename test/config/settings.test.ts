/** Parsing of settings, and the table that documents them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { readNodeSettings } from "../../src/apps/node/settings.ts";
import { temporaryFolder } from "../http/server-process.ts";

const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_hunter2",
  STRIPE_WEBHOOK_SECRET: "whsec_hunter2",
  TOOLBOOTH_PRICES: "prices.json",
};
const LIST = '{"currency":"eur","packs":[{"id":"a","name":"A","credits":10,"price":"5.00"}]}';

/** Returns the reported problems, one sentence each. */
function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.doesNotMatch(error.message, /hunter2/, "messages contain no secret");
    return error.message.split("\n");
  }
  return [];
}

test("TOOLBOOTH_SECURITY_CONTACT takes an email address or a URL", () => {
  const read = (text: string) => readConfig({ TOOLBOOTH_SECURITY_CONTACT: text }).securityContact;
  assert.equal(read(""), null);
  assert.equal(read("security@tools.test"), "mailto:security@tools.test");
  assert.equal(read("mailto:security@tools.test"), "mailto:security@tools.test");
  assert.equal(read("https://tools.test/report"), "https://tools.test/report");
  for (const wrong of [
    "us",
    "http://tools.test",
    "javascript:alert(1)",
    "a@b\nExpires: 1970-01-01T00:00:00Z",
    "https://tools.test/a b",
  ]) {
    assert.match(
      faultsOf(() => read(wrong)).join(),
      /must be an email address or an https URL/,
      wrong,
    );
  }
});

test("TOOLBOOTH_OPERATOR_TOKEN is one token that cannot be guessed", () => {
  const token = "a".repeat(32);
  const read = (text: string) => readConfig({ TOOLBOOTH_OPERATOR_TOKEN: text }).operatorToken;
  assert.equal(readConfig({}).operatorToken, null);
  assert.equal(read(token), token);
  for (const wrong of ["hunter2", `${token} `.repeat(2), `${token}ä`])
    assert.throws(
      () => read(wrong),
      (error: Error) =>
        /^TOOLBOOTH_OPERATOR_TOKEN must have at least 32 ASCII characters/.test(error.message) &&
        !error.message.includes(wrong),
    );
});

test("TOOLBOOTH_TRUSTED_PROXIES lists addresses and networks", () => {
  const read = (text: string) => readConfig({ TOOLBOOTH_TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(read("10.0.0.0/8, ::1,fd00::/8"), ["10.0.0.0/8", "::1", "fd00::/8"]);
  assert.deepEqual(read(""), []);
  for (const wrong of [
    ...["x", "10.0.0.0/33", "10.0.0.0/8/9", "10.0.0.0/", "300.1.1.1", "fd00::/129", "fd00::1::2"],
    ...["1.2.3", "::1,", "proxy.example"],
  ])
    assert.match(
      faultsOf(() => read(wrong)).join(),
      /^TOOLBOOTH_TRUSTED_PROXIES must list IP addresses or networks such as 10\.0\.0\.0\/8; got "/,
      wrong,
    );
});

test("METRICS_TOKEN can be sent in a header", () => {
  const read = (text: string) => readConfig({ METRICS_TOKEN: text }).metricsToken;
  assert.deepEqual(["", "scrape-1"].map(read), [null, "scrape-1"]);
  for (const wrong of ["hunter2 ", "hunter2\n", "hunter2é"])
    assert.match(faultsOf(() => read(wrong)).join(), /^METRICS_TOKEN must be printable ASCII/);
});

test("a sign-in provider is its client ID and its client secret, and no message has the secret", () => {
  const github = { TOOLBOOTH_GITHUB_CLIENT: "Iv1.8a61f9b3a7aba766:hunter2:x" };
  assert.deepEqual(readConfig(github).providers, {
    github: { clientId: "Iv1.8a61f9b3a7aba766", clientSecret: "hunter2:x" },
  });
  for (const wrong of ["hunter2", ":hunter2", "id:", "id: hunter2"]) {
    assert.deepEqual(
      faultsOf(() => readConfig({ TOOLBOOTH_GOOGLE_CLIENT: wrong })),
      ["TOOLBOOTH_GOOGLE_CLIENT must be the client ID and the client secret, as in id:secret."],
    );
  }
});

test("both Stripe settings and a price list are required together, and an invalid value is explained", () => {
  assert.equal(readConfig({}).stripe, null);
  assert.deepEqual(readConfig(STRIPE).stripe, {
    ...{ secretKey: "sk_test_hunter2", webhookSecret: "whsec_hunter2", api: null },
  });
  assert.notEqual(readConfig({ ...STRIPE, STRIPE_SECRET_KEY: "rk_live_1" }).stripe, null);
  const cases: [Record<string, string>, RegExp][] = [
    [
      { STRIPE_SECRET_KEY: "" },
      /^Set both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither/,
    ],
    [
      { STRIPE_WEBHOOK_SECRET: "" },
      /^Set both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither/,
    ],
    [{ TOOLBOOTH_PRICES: "" }, /^STRIPE_SECRET_KEY requires TOOLBOOTH_PRICES/],
    [{ STRIPE_SECRET_KEY: "pk_test_hunter2" }, /secret key \(sk_…\) or restricted key \(rk_…\)/],
    [{ STRIPE_SECRET_KEY: "sk_test hunter2" }, /secret key \(sk_…\) or restricted key \(rk_…\)/],
    [
      { STRIPE_WEBHOOK_SECRET: "sk_hunter2" },
      /signing secret of a Stripe webhook endpoint \(whsec_…\)/,
    ],
    [{ TOOLBOOTH_STRIPE_API: "http://stripe.test" }, /^TOOLBOOTH_STRIPE_API must be an https/],
    [{ TOOLBOOTH_STRIPE_API: "https://stripe.test/v1" }, /^TOOLBOOTH_STRIPE_API must be an https/],
    [{ TOOLBOOTH_STRIPE_API: "https://me:hunter2@stripe.test" }, /^TOOLBOOTH_STRIPE_API must be/],
    [{ TOOLBOOTH_WEBHOOK_NETWORKS: "some" }, /must be public or any; got "some"/],
  ];
  for (const [wrong, expected] of cases) {
    const problems = faultsOf(() => readConfig({ ...STRIPE, ...wrong }));
    assert.equal(problems.length, 1, `${JSON.stringify(wrong)}: ${problems.join(" ")}`);
    assert.match(problems[0] ?? "", expected);
  }
  for (const api of ["https://stripe.test", "http://127.0.0.1:12111/", "http://[::1]:1"]) {
    const config = readConfig({ ...STRIPE, TOOLBOOTH_STRIPE_API: api });
    assert.equal(config.stripe?.api, api.replace(/\/$/, ""));
  }
  assert.equal(readConfig({ TOOLBOOTH_WEBHOOK_NETWORKS: "any" }).webhookNetworks, "any");
});

test("TOOLBOOTH_PRICES holds a file name or the price list itself", (t) => {
  const file = path.join(temporaryFolder(t), "prices.json");
  writeFileSync(file, LIST);
  const fromFile = readNodeSettings({ TOOLBOOTH_PRICES: file }).prices;
  assert.equal(fromFile?.packs[0]?.price, 500);
  assert.deepEqual(readNodeSettings({ TOOLBOOTH_PRICES: LIST }).prices, fromFile);
  assert.equal(readNodeSettings({}).prices, null);
  assert.equal(readNodeSettings({ TOOLBOOTH_PRICES: "" }).prices, null);
});

test("one error reports invalid settings and invalid prices, each with its location", (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "prices.json");
  writeFileSync(file, LIST.replace('"5.00"', "5").replace("eur", "euro"));
  const read = (env: Record<string, string>) => faultsOf(() => readNodeSettings(env));
  const problems = read({ TOOLBOOTH_PRICES: file, PORT: "x", STRIPE_SECRET_KEY: "hunter2" });
  assert.equal(problems.length, 5, problems.join("\n"));
  assert.match(problems[0] ?? "", /^PORT must be/);
  for (const place of ["packs[0].price must be", "currency must be"]) {
    assert.ok(
      problems.some((problem) => problem.startsWith(`TOOLBOOTH_PRICES, ${file}: ${place}`)),
      place,
    );
  }
  assert.match(read({ TOOLBOOTH_PRICES: path.join(folder, "none") })[0] ?? "", /no such file/);
  assert.match(read({ TOOLBOOTH_PRICES: folder })[0] ?? "", /it is a folder/);
  assert.match(
    read({ TOOLBOOTH_PRICES: "{}" })[0] ?? "",
    /^TOOLBOOTH_PRICES: The price list is empty/,
  );
});

test("an unknown TOOLBOOTH_* name is a fault, but not the variables of clients", () => {
  const clients = { TOOLBOOTH_KEY: "tb_secret", TOOLBOOTH_URL: "https://tools.test" };
  assert.deepEqual(readConfig(clients), readConfig({}));
  const misspelled = {
    ...clients,
    TOOLBOOTH_KEYS: "hunter2",
    TOOLBOOTH_SIGNUP: "closed",
    TOOLBOOTH_PORT: "1",
  };
  assert.deepEqual(
    faultsOf(() => readConfig(misspelled)),
    [
      "Unknown setting TOOLBOOTH_KEYS.",
      "Unknown setting TOOLBOOTH_SIGNUP. Did you mean TOOLBOOTH_SIGN_UP?",
      "Unknown setting TOOLBOOTH_PORT. Did you mean PORT?",
    ],
  );
});

test("a jurisdiction is one of Cloudflare's, and no server has one", () => {
  const env = (name: string) => ({ TOOLBOOTH_JURISDICTION: name });
  assert.doesNotThrow(() => readConfig(env("eu")));
  assert.deepEqual(
    faultsOf(() => readConfig(env("uk"))),
    ['TOOLBOOTH_JURISDICTION must be one of eu, fedramp, us; got "uk".'],
  );
  const [problem = ""] = faultsOf(() => readNodeSettings(env("eu")));
  assert.match(problem, / works only on Cloudflare/);
});

test("the name, the look and the key prefix of a service are checked, and all faults reported at once", (t) => {
  const { name, keyPrefix, contact, look } = readConfig({});
  assert.deepEqual([name, keyPrefix, contact], ["Toolbooth", "tb_", null]);
  assert.deepEqual(look, { logo: null, accent: null, headline: null, lead: null });
  const own = readConfig({
    TOOLBOOTH_NAME: "Äcme & Söhne 道具",
    TOOLBOOTH_KEY_PREFIX: "acme_",
    TOOLBOOTH_CONTACT: "help@acme.test",
    TOOLBOOTH_ACCENT: "#FFEE00",
    MAIL_FROM: "hello@acme.test",
  });
  assert.equal(own.name, "Äcme & Söhne 道具");
  assert.equal(own.look.accent, "#ffee00");
  assert.deepEqual(own.mail.from, { name: own.name, address: "hello@acme.test" });

  const folder = temporaryFolder(t);
  const text = path.join(folder, "logo.txt");
  writeFileSync(text, "no picture");
  for (const [setting, ...wrong] of [
    ["TOOLBOOTH_NAME", "a\tb", "a\nb", " a", "a".repeat(41), "a\u202eb", "\ud800", "<b>", '"a"'],
    ["TOOLBOOTH_KEY_PREFIX", "acme", "a_", "Acme_", "abcdefghi_", "ac1_", "_", "acc_", "sk_"],
    ["TOOLBOOTH_CONTACT", "nobody", "http://acme.test", "javascript:alert(1)", "a@b c"],
    ["TOOLBOOTH_ACCENT", "red", "#fff", "#12345g", "#1234567"],
    ["TOOLBOOTH_HEADLINE", "a\nb", "a".repeat(81)],
    ["TOOLBOOTH_LEAD", "a".repeat(401)],
    ["TOOLBOOTH_LOGO", text, folder, path.join(folder, "none.svg"), "<b>no picture</b>", "<svg/>"],
  ] as const) {
    for (const value of wrong) {
      const found = faultsOf(() => readNodeSettings({ [setting]: value }));
      assert.equal(found.length, 1, `${setting}=${value}: ${found}`);
      assert.ok(found[0]?.startsWith(setting), found[0]);
    }
  }
  const all = {
    ...{ TOOLBOOTH_NAME: " a", TOOLBOOTH_ACCENT: "red", TOOLBOOTH_LOGO: text, PORT: "x" },
    MAIL_FROM: "hello@acme.test",
  };
  assert.equal(faultsOf(() => readNodeSettings(all)).length, 4);

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const file = path.join(folder, "logo.svg");
  writeFileSync(file, `<?xml version="1.0"?>\n${svg}`);
  assert.deepEqual(readNodeSettings({ TOOLBOOTH_LOGO: svg }).logo, {
    ...{ type: "image/svg+xml", text: svg },
  });
  assert.equal(readNodeSettings({ TOOLBOOTH_LOGO: file }).logo?.type, "image/svg+xml");
  assert.equal(readNodeSettings({}).logo, null);
});

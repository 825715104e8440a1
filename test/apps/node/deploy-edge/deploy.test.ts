/** `npm run deploy:edge` on a stand-in for Cloudflare that runs what is deployed: dry run, first deployment and updates. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import {
  ACCOUNT,
  type FakeCloudflare,
  openFakeCloudflare,
} from "../../../cloudflare/fake-cloudflare.ts";
import { prepareDeployment } from "./run-deployment.ts";

let cloudflare: FakeCloudflare;
let deployment: ReturnType<typeof prepareDeployment>;
before(async () => {
  cloudflare = await openFakeCloudflare();
  deployment = prepareDeployment(cloudflare);
});
after(async () => {
  deployment?.close();
  await cloudflare?.close();
});

/** Values that a `.env` file would not keep, because of `$`, quotes, `#` and line breaks. */
const SECRET = `of a $test with "quotes" and 'more' #1`;
const SETTINGS = {
  SECRET,
  MAIL_API_TOKEN: "re_$x\"y'z",
  MAIL_FROM: "Toolbooth <toolbooth@example.com>",
  STRIPE_SECRET_KEY: "sk_test_a$b",
  STRIPE_WEBHOOK_SECRET: "whsec_ab$cd",
  TOOLBOOTH_PRICES: `{
  "currency": "eur",
  "packs": [{ "id": "small", "name": "Small $HOME", "credits": 1000, "price": "5.00" }]
}`,
};
/** As in a shell in which someone has also run a server. */
const EXPORTED = {
  SECRET: "the secret of another service",
  MAIL_API_TOKEN: "exported",
  STRIPE_WEBHOOK_SECRET: "whsec_exported",
  PUBLIC_URL: "https://other.example",
  cd: "expanded",
  CLOUDFLARE_ENV: "alone",
};
const FIRST = ["--domain", "tools.example.com", "--account", "ada@example.com"];

const readFile = () => JSON.parse(readFileSync(deployment.file, "utf8")) as Record<string, string>;
/** Requests that change something, without the account. */
const changes = () =>
  cloudflare.requests
    .filter((line) => !line.startsWith("GET ") && !/\/(?:query|changeset)$/.test(line))
    .map((line) =>
      line.replace(`/client/v4/accounts/${ACCOUNT}`, "").replaceAll(/[0-9a-f-]{32,}/g, "*"),
    );

test("a dry run shows the steps and changes nothing", async () => {
  const { code, stdout } = await deployment.run([...FIRST, "--dry-run"]);
  assert.equal(code, 0, stdout);
  assert.deepEqual(
    [...stdout.matchAll(/^\[\d+\/10\] (.*)$/gm)].map((match) => match[1]),
    [
      "Build the pages and the tables",
      "Create the D1 database toolbooth",
      "Deploy the API Worker (toolbooth) alone, because the site Worker binds its objects",
      "Create or update the tables",
      "Deploy the site Worker (toolbooth-site)",
      "Check the DNS records of tools.example.com",
      "Deploy the API Worker (toolbooth) at https://tools.example.com",
      "Wait until https://tools.example.com/readyz says that calls succeed",
      "Create a key for ada@example.com",
      "Make a call with the key and check its result",
    ],
  );
  assert.match(stdout, /would get PUBLIC_URL, SECRET, TOOLBOOTH_OPERATOR_TOKEN/);
  assert.deepEqual(changes(), []);
  assert.ok(!existsSync(deployment.file));
});

test("without settings it writes a private file to fill in, and makes nothing", async () => {
  const { code, stdout, stderr } = await deployment.run(FIRST);
  assert.equal(code, 1, stdout);
  assert.match(stderr, /MAIL_API_TOKEN and MAIL_FROM must be set/);
  assert.match(stderr, new RegExp(`Correct ${deployment.file}`));
  assert.equal(statSync(deployment.file).mode & 0o777, 0o600);
  const written = readFile();
  assert.equal(written["MAIL_API_TOKEN"], "");
  assert.match(written["SECRET"] ?? "", /^[0-9a-f]{64}$/);
  assert.ok(!stdout.includes(written["SECRET"] ?? "?"));
  assert.deepEqual(changes(), []);
});

test("a first deployment makes everything in order, uploads the settings unchanged and makes a call", async () => {
  deployment.writeSettings(SETTINGS);
  const { code, stdout, stderr } = await deployment.run(FIRST, EXPORTED);
  assert.equal(code, 0, stderr + stdout);
  assert.deepEqual(cloudflare.unknown, []);
  const [databaseId, ...more] = cloudflare.databases.keys();
  assert.deepEqual(more, []);

  const kept = readFile();
  const { TOOLBOOTH_OPERATOR_TOKEN: token = "", TOOLBOOTH_KEY: key = "", PUBLIC_URL } = kept;
  assert.equal(PUBLIC_URL, "https://tools.example.com");
  assert.match(key, /^tb_/);
  assert.deepEqual(cloudflare.secretsOf("toolbooth"), { SECRET, PUBLIC_URL });
  assert.deepEqual(cloudflare.secretsOf("toolbooth-site"), {
    ...SETTINGS,
    PUBLIC_URL,
    TOOLBOOTH_OPERATOR_TOKEN: token,
  });
  for (const secret of [SECRET, token, key, SETTINGS.STRIPE_WEBHOOK_SECRET])
    assert.ok(!(stdout + stderr).includes(secret), "a secret was printed");

  const api = cloudflare.scripts.get("toolbooth");
  const site = cloudflare.scripts.get("toolbooth-site");
  const off = { enabled: false, previews_enabled: false };
  assert.deepEqual([api?.subdomain, site?.subdomain], [off, off]);
  assert.deepEqual(
    cloudflare.domains.map(({ hostname, service }) => [hostname, service]),
    [["tools.example.com", "toolbooth"]],
  );
  assert.deepEqual(site?.schedules, ["* * * * *"]);
  assert.deepEqual([api?.migrationTag, site?.migrationTag], ["v1", "v1"]);
  assert.deepEqual(
    [api?.deployed.limits, site?.deployed.limits],
    [{ cpu_ms: 10_000 }, { cpu_ms: 10_000 }],
  );
  for (const script of [api, site])
    assert.equal(script?.deployed.bindings.find(({ type }) => type === "d1")?.id, databaseId);
  assert.ok((site?.deployed.assets?.files.size ?? 0) > 20);
  const order = changes().filter((line) => !/assets|script-settings|upload/.test(line));
  assert.deepEqual(
    order,
    [
      "POST /d1/database",
      "PUT /workers/scripts/toolbooth",
      "POST /workers/scripts/toolbooth/subdomain",
      "POST /d1/database/*/import",
      "POST /d1/database/*/import",
      "PUT /workers/scripts/toolbooth-site",
      "POST /workers/scripts/toolbooth-site/subdomain",
      "PUT /workers/scripts/toolbooth-site/schedules",
      "POST /workers/scripts/toolbooth/versions",
      "POST /workers/scripts/toolbooth/deployments",
      "PATCH /workers/scripts/toolbooth/script-settings",
      "POST /workers/scripts/toolbooth/subdomain",
      "PUT /workers/scripts/toolbooth/domains/records",
    ].filter((line) => !/script-settings/.test(line)),
  );
  assert.match(stdout, /created the account and created a key/);
  assert.match(stdout, /a correct hash, 0 credits charged, 1000 left/);
  assert.match(stdout, /^Deployed: https:\/\/tools\.example\.com$/m);
});

test("an update keeps SECRET, the domain and the database, deletes what is null, and makes a call", async () => {
  const before = cloudflare.secretsOf("toolbooth-site");
  const changed = { ...readFile(), SECRET: "a secret of another deployment", RATE_LIMIT: 50 };
  const { STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_KEY, ...rest } = changed as Record<string, unknown>;
  const gone = { STRIPE_WEBHOOK_SECRET: null, STRIPE_SECRET_KEY: null, TOOLBOOTH_PRICES: null };
  deployment.writeSettings({ ...rest, ...gone });
  cloudflare.requests.length = 0;
  const { code, stdout, stderr } = await deployment.run();
  assert.equal(code, 0, stderr + stdout);
  assert.deepEqual(cloudflare.unknown, []);
  assert.match(stdout, /Note: The deployed SECRET stays\./);
  assert.match(
    stdout,
    /Use the D1 database toolbooth\n.*\n.*Create or update the tables\n +up to date/,
  );
  assert.match(stdout, /a correct hash, 1 credit charged, 999 left/);
  const { MAIL_API_TOKEN, MAIL_FROM, PUBLIC_URL, TOOLBOOTH_OPERATOR_TOKEN } = before;
  const secrets = { SECRET, PUBLIC_URL, RATE_LIMIT: "50" };
  assert.deepEqual(cloudflare.secretsOf("toolbooth"), secrets);
  assert.deepEqual(cloudflare.secretsOf("toolbooth-site"), {
    ...secrets,
    MAIL_API_TOKEN,
    MAIL_FROM,
    TOOLBOOTH_OPERATOR_TOKEN,
  });
  assert.deepEqual(cloudflare.scripts.get("toolbooth")?.subdomain.enabled, false);
  assert.equal(cloudflare.databases.size, 1);
  const uploads = changes().filter((line) => /versions$/.test(line));
  assert.deepEqual(uploads, [
    "POST /workers/scripts/toolbooth-site/versions",
    "POST /workers/scripts/toolbooth/versions",
  ]);
});

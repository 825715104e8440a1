/** `npm run deploy:edge` fails at each step once, and continues when it is run again. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  ACCOUNT,
  type FakeCloudflare,
  OTHER_ACCOUNT,
  openFakeCloudflare,
} from "../../../cloudflare/fake-cloudflare.ts";
import { drawSample } from "../../../support/sample.ts";
import { prepareDeployment, type Run } from "./run-deployment.ts";

let cloudflare: FakeCloudflare;
let deployment: ReturnType<typeof prepareDeployment>;
before(async () => {
  cloudflare = await openFakeCloudflare();
  deployment = prepareDeployment(cloudflare);
  deployment.writeSettings({ MAIL_API_TOKEN: "re_x", MAIL_FROM: "Toolbooth <t@example.com>" });
});
after(async () => {
  deployment?.close();
  await cloudflare?.close();
});

const DOMAIN = ["--domain", "tools.example.com"];

function assertFailed({ code, stdout, stderr }: Run, message: RegExp): void {
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, message);
  assert.match(stderr, /Then run the command again(; it continues where it stopped)?\.\n$/);
  assert.equal(/it continues/.test(stderr), /^Step \d/m.test(stderr), stderr);
  assert.doesNotMatch(stderr, /^ +at /m);
}

describe("before anything is made", () => {
  after(() => assert.equal(cloudflare.databases.size + cloudflare.scripts.size, 0));

  test("a wrong token", async () => {
    const run = await deployment.run(DOMAIN, { CLOUDFLARE_API_TOKEN: "wrong" });
    assertFailed(run, /Invalid API Token \(code 1000\)\.\nCLOUDFLARE_API_TOKEN is not valid/);
  });

  test("a token of another account", async () => {
    const run = await deployment.run(DOMAIN, { CLOUDFLARE_ACCOUNT_ID: OTHER_ACCOUNT });
    assertFailed(run, /status 403.*\n.*needs Workers Scripts: Edit and D1: Edit/);
  });

  test("a domain that is in another account, in none, or that another Worker has", async () => {
    const zone = cloudflare.zones[0];
    assert.ok(zone !== undefined);
    zone.account.id = OTHER_ACCOUNT;
    assertFailed(
      await deployment.run(DOMAIN),
      /tools\.example\.com belongs to another account of Cloudflare/,
    );
    zone.account.id = ACCOUNT;
    assertFailed(
      await deployment.run(["--domain", "tools.example.org"]),
      /The token finds no zone for tools\.example\.org\./,
    );
    zone.status = "pending";
    assertFailed(await deployment.run(DOMAIN), /is not active yet \(pending\)/);
    zone.status = "active";
    const taken = {
      id: "d",
      hostname: "tools.example.com",
      service: "shop",
      zone_name: "example.com",
    };
    cloudflare.domains.push(taken);
    assertFailed(await deployment.run(DOMAIN), /is the domain of the Worker shop\./);
    cloudflare.domains.pop();
  });

  test("wrong options and a missing token", async () => {
    const wrong = await deployment.run(["--domain", "https://tools.example.com/"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--domain must be a domain name such as tools\.example\.com/);
    const missing = await deployment.run(DOMAIN, { CLOUDFLARE_API_TOKEN: "" });
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /CLOUDFLARE_API_TOKEN is not set\. Create a token/);
  });
});

describe("each step, one after the other", () => {
  /** A fault in a step, and what the command says. A run takes a sample; TEST_EDGE=all takes all. */
  const faults: [string, () => void, RegExp][] = [
    [
      "the database",
      () => cloudflare.fail(/^POST .*\/d1\/database$/, 400, 7_406),
      /Step \d of \d failed \(Create the D1 database toolbooth\)\.\n.*A fault of the test/,
    ],
    [
      "the plan of the account",
      () => {
        cloudflare.account.isPaid = false;
      },
      /Step \d of \d failed[\s\S]*CPU limits are not supported[\s\S]*needs the Workers Paid plan/,
    ],
    [
      "the tables",
      () => {
        cloudflare.fail(/^POST .*\/import$/, 400, 7_500);
      },
      /Step \d of \d failed \(Create or update the tables\)[\s\S]*A fault of the test/,
    ],
    [
      "the assets",
      () => cloudflare.fail(/^POST .*\/assets-upload-session$/, 400, 10_021),
      /Step \d of \d failed \(Deploy the site Worker \(toolbooth-site\)\)/,
    ],
    [
      "the site Worker",
      () => cloudflare.fail(/^PUT .*\/scripts\/toolbooth-site$/, 400, 10_021),
      /Step \d of \d failed \(Deploy the site Worker \(toolbooth-site\)\)/,
    ],
    [
      "a DNS record",
      () => void cloudflare.dnsRecords.add("tools.example.com"),
      /Step \d of \d failed[\s\S]*There are DNS records already for tools\.example\.com\.\n.*delete them/,
    ],
    [
      "the API Worker",
      () => {
        cloudflare.fail(/^PUT .*\/domains\/records$/, 400, 10_021);
      },
      /Step \d of \d failed[\s\S]*A fault of the test/,
    ],
    [
      "readiness",
      () => cloudflare.respond({ status: 503, text: "not yet" }),
      /Step \d of \d failed[\s\S]*was not ready after 3 s\. Last result: status 503, not yet/,
    ],
  ];

  const sampled = drawSample(
    "faults of a deployment",
    faults,
    1,
    process.env["TEST_EDGE"] === "all",
  );
  for (const [name, make, message] of sampled) {
    test(name, async () => {
      make();
      assertFailed(await deployment.run([...DOMAIN, "--wait", "3"]), message);
      cloudflare.account.isPaid = true;
      cloudflare.dnsRecords.clear();
      cloudflare.respond(null);
    });
  }

  test("Ctrl+C ends it, and the next run completes it", async () => {
    const arrived = cloudflare.hold(/^(?:POST|PUT) .*\/scripts\/toolbooth-site(?:\/versions)?$/);
    const interrupted = deployment.start(DOMAIN);
    const resume = await arrived;
    interrupted.child.kill("SIGINT");
    const { code, stderr } = await interrupted.ended;
    resume();
    assert.equal(code, 130, stderr);
    assert.match(
      stderr,
      /^Interrupted in step \d of \d \(Deploy the site Worker .*\. Run the command again; it continues/,
    );
    const { code: last, stdout } = await deployment.run(["--account", "ada@example.com"]);
    assert.equal(last, 0, stdout);
    assert.match(stdout, /a correct hash/);
    // The upload that was interrupted may have arrived.
    assert.match(stdout, /^(?:Deployed|Updated): /m);
    assert.equal(cloudflare.databases.size, 1);
    assert.deepEqual(cloudflare.unknown, []);
  });
});

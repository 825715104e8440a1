import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { type FakeCloudflare, openFakeCloudflare } from "../../../cloudflare/fake-cloudflare.ts";
import { prepareDeployment } from "./run-deployment.ts";

let cloudflare: FakeCloudflare;
let deployment: ReturnType<typeof prepareDeployment>;
before(async () => {
  cloudflare = await openFakeCloudflare();
  deployment = prepareDeployment(cloudflare);
});
after(async () => {
  deployment.close();
  await cloudflare.close();
});

test("first", async () => {
  deployment.writeSettings({ MAIL_API_TOKEN: "re_x", MAIL_FROM: "Toolbooth <t@example.com>" });
  const { code, stdout, stderr } = await deployment.run(["--domain", "tools.example.com", "--account", "ada@example.com", "--verbose"]);
  console.log(stdout, stderr, cloudflare.unknown, cloudflare.requests);
  assert.equal(code, 0);
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { curlCode, LANGUAGES } from "#site/request-code.ts";
import { exportCode, sampleCall } from "../../web/home/sample-call.ts";
import { SECRET } from "./fixtures.ts";

const run = promisify(execFile);
const HASH = {
  firstCall: { tool: "hash", request: { text: "Hello, world!" } },
  keyVariable: "TOOLBOOTH_KEY",
};
const apiUrl = "http://127.0.0.1:8787/tools'$HOME`id`";

test("a shell passes the key to a sample call, and the variable that another command sets", async () => {
  const authorization = async (code: string) => {
    const { stdout } = await run("sh", ["-c", `curl() { echo "$3"; }\n${code}`]);
    return stdout.trim();
  };
  const withKey = curlCode(sampleCall(apiUrl, SECRET, HASH));
  const withVariable = `${exportCode(SECRET, HASH)}\n${curlCode(sampleCall(apiUrl, null, HASH))}`;
  for (const code of [withKey, withVariable])
    assert.equal(await authorization(code), `Authorization: Bearer ${SECRET}`);
});

test("the code of every language has the URL, the body, and the key or its variable", () => {
  const apiUrl = "https://api.example.com";
  for (const { title, write } of LANGUAGES) {
    const own = write(sampleCall(apiUrl, SECRET, HASH));
    assert.ok(own.includes(`${apiUrl}/api/v1/hash`), title);
    assert.ok(own.includes("Hello, world!"), title);
    assert.ok(own.includes(`Bearer ${SECRET}`) && !own.includes("TOOLBOOTH_KEY"), title);
    assert.ok(write(sampleCall(apiUrl, null, HASH)).includes("TOOLBOOTH_KEY"), title);
  }
});

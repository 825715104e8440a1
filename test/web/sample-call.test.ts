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

test("a shell passes the intended arguments to curl, with the key and with the variable", async () => {
  const expected = (key: string) => [
    `${apiUrl}/api/v1/hash`,
    "-H",
    `Authorization: Bearer ${key}`,
    "-d",
    '{"text":"Hello, world!"}',
  ];
  const curlArguments = async (code: string) => {
    const { stdout } = await run("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${code}`]);
    return stdout.trimEnd().split("\n");
  };
  const withKey = curlCode(sampleCall(apiUrl, SECRET, HASH));
  assert.deepEqual(await curlArguments(withKey), expected(SECRET));
  const withVariable = `${exportCode(SECRET, HASH)}\n${curlCode(sampleCall(apiUrl, null, HASH))}`;
  assert.deepEqual(await curlArguments(withVariable), expected(SECRET));
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

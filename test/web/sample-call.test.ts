import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { curlCode, fetchCode, goCode, phpCode, pythonCode } from "#site/request-code.ts";
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

test("the JavaScript code runs unchanged and makes the call", async () => {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push([request.method, request.url, request.headers.authorization, JSON.parse(body)]);
    response.end('{"ok":true}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const { port } = server.address() as AddressInfo;
    const own = `http://127.0.0.1:${port}`;
    for (const secret of [SECRET, null]) {
      const code = fetchCode(sampleCall(own, secret, HASH));
      const env = { ...process.env, TOOLBOOTH_KEY: SECRET };
      await run(process.execPath, ["--input-type=module", "-e", code], { env });
    }
  } finally {
    server.close();
  }
  const call = ["POST", "/api/v1/hash", `Bearer ${SECRET}`, { text: "Hello, world!" }];
  assert.deepEqual(received, [call, call]);
});

test("the Python code has the same URL, key and body", () => {
  const code = pythonCode(sampleCall("https://api.example.com", null, HASH));
  assert.match(code, /"https:\/\/api\.example\.com\/api\/v1\/hash"/);
  assert.match(code, /os\.environ\["TOOLBOOTH_KEY"\]/);
  assert.match(code, /^import json, os, urllib\.error, urllib\.request$/m);
  const own = pythonCode(sampleCall("https://api.example.com", SECRET, HASH));
  assert.ok(own.includes(`"Authorization": "Bearer ${SECRET}"`));
});

test("the code of every language has the URL, the body, and the key or its variable", () => {
  const apiUrl = "https://api.example.com";
  for (const write of [curlCode, fetchCode, pythonCode, goCode, phpCode]) {
    const own = write(sampleCall(apiUrl, SECRET, HASH));
    assert.ok(own.includes(`${apiUrl}/api/v1/hash`), write.name);
    assert.ok(own.includes("Hello, world!"), write.name);
    assert.ok(own.includes(`Bearer ${SECRET}`) && !own.includes("TOOLBOOTH_KEY"), write.name);
    assert.ok(write(sampleCall(apiUrl, null, HASH)).includes("TOOLBOOTH_KEY"), write.name);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createSentences } from "./door.ts";
import { doorSuites } from "./suites.ts";
import { bundleWorker, workerd } from "./workerd.ts";

test("in workerd: the app with the memory store imports nothing of Node and nothing of the cloud", async () => {
  const { code, imports } = await bundleWorker();
  assert.deepEqual(imports, []);
  assert.ok(code.length > 0);
});

doorSuites(createSentences(workerd));

import assert from "node:assert/strict";
import { test } from "node:test";
import { bundleWorker } from "./edge.ts";
import { roundTripSentences } from "./round-trips.ts";
import { serviceSuites } from "./suites.ts";
import { createSentences } from "./test-api.ts";
import { keepWorkerd, WORKER, workerd } from "./workerd.ts";

test("in workerd: app and site import nothing of Node", async () => {
  const { imports } = await bundleWorker(WORKER);
  assert.deepEqual([...new Set(imports)], ["cloudflare:workers"]);
});

keepWorkerd();
serviceSuites(createSentences(workerd, "adapter"));
roundTripSentences(workerd);

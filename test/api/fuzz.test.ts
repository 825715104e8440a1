import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenApiDocument } from "#api/openapi/document.ts";
import { createDescription } from "../http/description.ts";
import { playScenario, requestArbitrary, STATES, type State } from "../http/fuzz-scenario.ts";
import { inProcess } from "../http/in-process.ts";
import { type Opener, openService } from "../http/test-api.ts";
import { keepWorkerd, workerd } from "../http/workerd.ts";
import fc from "../support/properties.ts";
import { SEED } from "../support/random.ts";

/** The whole API against its own description: requests are made from it, every answer is held against it. */
const REQUESTS = Number(process.env["TEST_FUZZ_RUNS"] ?? 400);
/** Of these so many go through workerd, where a request takes eight times as long. */
const REQUESTS_AT_THE_EDGE = Math.min(Math.ceil(REQUESTS / 8), 2_000);
const REQUESTS_A_SCENARIO = 4;

keepWorkerd();
fuzz(inProcess, REQUESTS, [200, 400, 401, 402, 403, 404, 405, 413, 415, 429, 503]);
// Fewer requests: what comes about seldom may not.
fuzz(workerd, REQUESTS_AT_THE_EDGE, [200, 400, 401]);

function fuzz(opener: Opener, requestCount: number, statusesSure: number[]): void {
  test(`${opener.name}: requests made from the description get the responses that it promises`, async (t) => {
    t.diagnostic(`${requestCount} requests, TEST_SEED=${SEED}`);
    const service = await openService(opener, { rateLimit: 10, fixed: true });
    t.after(service.close);
    const document = (await service.send("/openapi.json")).json() as OpenApiDocument;
    const description = createDescription(document, service.settings);
    const statuses = new Map<string, number>();
    const seen = (name: string) => statuses.set(name, (statuses.get(name) ?? 0) + 1);
    const requests = fc.array(requestArbitrary(description), {
      minLength: REQUESTS_A_SCENARIO,
      maxLength: REQUESTS_A_SCENARIO,
    });
    const state = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom<State>("good", "poor", "first") },
      fc.constantFrom(...STATES),
    );
    const scenario = fc.asyncProperty(state, requests, (state, requests) =>
      playScenario(service, description, state, requests, seen),
    );
    const numRuns = Math.ceil(requestCount / REQUESTS_A_SCENARIO);
    await fc.assert(scenario, { numRuns, endOnFailure: false });

    const told = [...statuses].sort().map(([name, count]) => `${name.trim()}: ${count}`);
    t.diagnostic(told.join(", "));
    for (const status of REQUESTS < 2_000 ? [] : statusesSure) {
      assert.ok(
        [...statuses.keys()].some((name) => name.startsWith(`${status} `)),
        `no ${status} came about`,
      );
    }
  });
}

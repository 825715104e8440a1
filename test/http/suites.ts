import { idempotencySuite } from "./suites/idempotency.ts";
import { idempotencyMeanwhileSuite } from "./suites/idempotency-meanwhile.ts";
import { ledgerTroubleSuite } from "./suites/ledger-trouble.ts";
import { limitsSuite } from "./suites/limits.ts";
import { mcpSuite } from "./suites/mcp.ts";
import { mcpHttpSuite } from "./suites/mcp-http.ts";
import { mcpMessagesSuite } from "./suites/mcp-messages.ts";
import { orderSuite } from "./suites/order.ts";
import { problemsSuite } from "./suites/problems.ts";
import { responsesSuite } from "./suites/responses.ts";
import { spendingSuite } from "./suites/spending.ts";
import { wireSuite } from "./suites/wire.ts";
import { wrongBodiesSuite } from "./suites/wrong-bodies.ts";
import type { Sentence } from "./test-api.ts";

/** All HTTP behavior of the API, for every runtime. */
export function serviceSuites(sentence: Sentence) {
  responsesSuite(sentence);
  problemsSuite(sentence);
  wrongBodiesSuite(sentence);
  orderSuite(sentence);
  wireSuite(sentence);
  limitsSuite(sentence);
  idempotencySuite(sentence);
  idempotencyMeanwhileSuite(sentence);
  ledgerTroubleSuite(sentence);
  spendingSuite(sentence);
  mcpSuite(sentence);
  mcpHttpSuite(sentence);
  mcpMessagesSuite(sentence);
}

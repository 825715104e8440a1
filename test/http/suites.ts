import { accountSuite } from "./suites/account.ts";
import { formsSuite } from "./suites/forms.ts";
import { idempotencySuite } from "./suites/idempotency.ts";
import { keyLimitsSuite } from "./suites/key-limits.ts";
import { ledgerTroubleSuite } from "./suites/ledger-trouble.ts";
import { limitsSuite } from "./suites/limits.ts";
import { mcpSuite } from "./suites/mcp.ts";
import { mcpHttpSuite } from "./suites/mcp-http.ts";
import { mcpMessagesSuite } from "./suites/mcp-messages.ts";
import { mcpRatesSuite } from "./suites/mcp-rates.ts";
import { orderSuite } from "./suites/order.ts";
import { pagesSuite } from "./suites/pages.ts";
import { problemsSuite } from "./suites/problems.ts";
import { rawBodiesSuite } from "./suites/raw-bodies.ts";
import { rawResponsesSuite } from "./suites/raw-responses.ts";
import { responsesSuite } from "./suites/responses.ts";
import { spendingSuite } from "./suites/spending.ts";
import { wireSuite } from "./suites/wire.ts";
import { wrongBodiesSuite } from "./suites/wrong-bodies.ts";
import type { Sentence } from "./test-api.ts";

const SUITES: readonly ((sentence: Sentence) => void)[] = [
  responsesSuite,
  rawBodiesSuite,
  formsSuite,
  rawResponsesSuite,
  problemsSuite,
  wrongBodiesSuite,
  orderSuite,
  wireSuite,
  limitsSuite,
  idempotencySuite,
  ledgerTroubleSuite,
  spendingSuite,
  accountSuite,
  keyLimitsSuite,
  pagesSuite,
  mcpSuite,
  mcpHttpSuite,
  mcpMessagesSuite,
  mcpRatesSuite,
];

/** All HTTP behavior of the API; of an adapter, what it can break (`adapter` of a sentence). */
export function serviceSuites(sentence: Sentence): void {
  for (const suite of SUITES) suite(sentence);
}

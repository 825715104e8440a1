import type { Sentence } from "./door.ts";
import { spendingSuite } from "./suites/spending.ts";

/** Everything that the contract says of HTTP, through whichever door. */
export function doorSuites(sentence: Sentence) {
  spendingSuite(sentence);
}

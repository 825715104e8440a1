/** Many runs, each with its seed in the error. `TEST_SALES_RUNS` sets their number. */
import type { TestContext } from "node:test";
import { randomFrom, SEED } from "../support/random.ts";
import type { OpenedLedger } from "./judged.ts";
import { live } from "./life.ts";

export const RUNS = Number(process.env["TEST_SALES_RUNS"] ?? 3);

export async function liveOften(
  t: TestContext,
  open: () => OpenedLedger | Promise<OpenedLedger>,
): Promise<void> {
  t.diagnostic(`TEST_SEED=${SEED}`);
  for (let run = 0; run < RUNS; run += 1)
    try {
      await live(await open(), randomFrom(SEED + run));
    } catch (error) {
      throw new Error(`The run with TEST_SEED=${SEED + run} failed`, { cause: error });
    }
}

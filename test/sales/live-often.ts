/** Many runs, each with its seed in the error. */
import type { TestContext } from "node:test";
import { randomFrom } from "../support/random.ts";
import type { OpenedLedger } from "./judged.ts";
import { live } from "./life.ts";

export async function liveOften(
  t: TestContext,
  runs: number,
  open: () => Promise<OpenedLedger>,
): Promise<void> {
  const seed = Number(process.env["TEST_SALES_SEED"] ?? Math.floor(Math.random() * 1e9));
  t.diagnostic(`TEST_SALES_SEED=${seed}`);
  for (let run = 0; run < runs; run += 1) {
    try {
      await live(await open(), randomFrom(seed + run));
    } catch (error) {
      throw new Error(`The run with seed ${seed + run} failed`, { cause: error });
    }
  }
}

import { type Reversing, reversalJob, reverseOrKeep } from "#jobs/reverse-calls.ts";
import type { Reversal } from "#ledger/port.ts";
import { addJobs } from "#stores/sql/add-jobs.ts";
import { createD1Database, type D1 } from "#stores/sql/d1-database.ts";

/** Reverses a call after its response, or keeps a job for it in D1. Never rejects. */
export const reverseCall = (
  reversing: Reversing,
  call: Reversal,
  db: D1 | undefined,
): Promise<void> =>
  reverseOrKeep(reversing, call, async () => {
    if (db === undefined) throw new Error("The binding DB is missing");
    await addJobs(createD1Database(db), { jobs: [reversalJob(call)], now: reversing.now() });
  });

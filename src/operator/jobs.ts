import * as z from "zod";
import { AccountError } from "#accounts/accounts.ts";
import { quotedCommand } from "#command-line.ts";
import type { JobCursor } from "#jobs/operator-jobs.ts";
import { ACTION_OUTCOMES } from "./actions.ts";
import { count, jobId, listMax, textOrNull, time, timeOrNull } from "./members.ts";
import { defineOperation, wholeService } from "./operation.ts";

/** Operations on background jobs that wait or have failed permanently, and the log of operator actions. */

const ROWS_DEFAULT = 50;
const ROWS_A_PAGE = 1_000;

export const listJobs = defineOperation({
  name: "jobs list",
  summary: "List waiting or dead emails, webhook deliveries and reversals",
  input: z.strictObject({ dead: z.boolean().default(false), max: listMax.default(ROWS_DEFAULT) }),
  output: z.object({
    jobs: z.array(
      z.object({
        ...{ id: z.string(), queue: z.string(), kind: z.string(), label: z.string() },
        ...{ createdAt: time, attempts: count, lastError: textOrNull },
        ...{ dueAt: timeOrNull, diedAt: timeOrNull },
        /** Whether a dead job can be retried. */
        hasPayload: z.boolean(),
      }),
    ),
  }),
  find: wholeService,
  action: null,
  async run({ jobs }, { dead, max }) {
    const list = (page: Page<JobCursor>) => jobs.listJobs({ dead, ...page });
    return { jobs: await takeFirst(max, list, (found) => found.jobs) };
  },
});

export const retryJob = defineOperation({
  name: "jobs retry",
  summary: "Retry a dead job",
  input: z.strictObject({ id: jobId }),
  output: z.object({ id: z.string(), dueAt: time }),
  find: async (_, { id }) => ({ id }),
  action: { subject: ({ id }) => id },
  async run({ jobs }, { id }, { now }) {
    const { outcome } = await jobs.retryJob({ id, now });
    if (outcome === "retried") return { id, dueAt: now };
    throw new AccountError(WHY_NOT_RETRIED[outcome](id));
  },
});

const WHY_NOT_RETRIED = {
  not_found: (id: string) =>
    `There is no job ${id}. To see the dead jobs, run ${quotedCommand("jobs list --dead")}.`,
  not_dead: (id: string) => `Job ${id} is not dead. The server retries it automatically.`,
  erased: (id: string) =>
    `Job ${id} cannot be retried, because its content was erased: it was obsolete, or contained a sign-in link.`,
};

export const listActions = defineOperation({
  name: "actions",
  summary: "List operator actions, newest first",
  input: z.strictObject({ max: listMax.default(ROWS_DEFAULT) }),
  output: z.object({
    actions: z.array(
      z.object({
        ...{ at: time, by: z.string(), action: z.string(), subject: textOrNull },
        ...{ outcome: z.enum(ACTION_OUTCOMES), detail: textOrNull, address: textOrNull },
      }),
    ),
  }),
  find: wholeService,
  action: null,
  async run({ actions }, { max }) {
    const list = (page: Page<string>) => actions.list(page);
    return { actions: await takeFirst(max, list, (found) => found.actions) };
  },
});

type Page<Cursor> = { after: Cursor | null; max: number };

/** Returns the first `max` items of a list whose pages contain the cursor of the next page. */
async function takeFirst<Item, Cursor, Found extends { next: Cursor | null }>(
  max: number,
  list: (page: Page<Cursor>) => Promise<Found>,
  itemsOf: (found: Found) => Item[],
): Promise<Item[]> {
  const taken: Item[] = [];
  for (let after: Cursor | null = null; taken.length < max; ) {
    const found = await list({ after, max: Math.min(ROWS_A_PAGE, max - taken.length) });
    taken.push(...itemsOf(found));
    if (found.next === null) break;
    after = found.next;
  }
  return taken;
}

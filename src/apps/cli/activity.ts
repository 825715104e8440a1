import { quotedCommand } from "#command-line.ts";
import { isJobId, type JobCursor } from "#jobs/operator-jobs.ts";
import type { OutcomeOf } from "#operator/operations.ts";
import { integerFrom } from "./arguments.ts";
import { type Command, CommandError, flag, option, positional, UsageError } from "./command.ts";
import { command } from "./deployment.ts";
import { takeFirst } from "./lists.ts";
import { cut, instant, minute, table, withInstants } from "./text.ts";

/** Commands for background jobs and the log of operator actions. */

const ROWS_DEFAULT = 50;
const ROWS_MAX = 100_000;
/** Tables cut longer texts; `--json` prints them in full. */
const CELL_CHARS_MAX = 60;

export const ACTIVITY_COMMANDS: readonly Command[] = [
  command({
    name: "jobs list",
    summary: "List waiting or dead emails, webhook deliveries and reversals",
    details: [
      "Without --dead the command lists the jobs that wait for their next attempt; with --dead, the jobs that have failed permanently. Dead jobs are kept for 30 days. The oldest jobs come first, 50 by default.",
      "The list shows the domain of an email's recipient, the endpoint of a webhook or the account of a call. It never shows the content of an email.",
    ],
    example: "jobs list --dead",
    parameters: { dead: flag, max: option("N", integerFrom(1, ROWS_MAX)) },
    async run({ dead, max = ROWS_DEFAULT }, { client }) {
      const jobs = await takeFirst(max, async (page: Page<JobCursor>) => {
        const { jobs, next } = await client.listJobs({ dead, ...page });
        return { items: jobs, next };
      });
      return { json: { jobs: jobs.map(withInstants) }, text: jobsTable(jobs, dead) };
    },
  }),
  command({
    name: "jobs retry",
    summary: "Retry a dead job",
    details: [
      "The list of dead jobs has the id; quote it if it contains spaces. The job gets a full set of attempts. The server starts due jobs within a minute.",
    ],
    example: "jobs retry eml_8sWqVb2nTfJx0LkYd3PzRm7H",
    parameters: { id: positional("<id>", readJobId) },
    async run({ id }, { client, now, place }) {
      const { outcome } = await client.retryJob({ id, now });
      if (outcome !== "retried") throw new CommandError(WHY_NOT_RETRIED[outcome](id, place));
      return {
        json: { id, dueAt: instant(now) },
        text: `Job ${id} is due now, with a full set of attempts.\n`,
      };
    },
  }),
  command({
    name: "actions",
    summary: "List operator actions, newest first",
    details: [
      "Every command that changes something adds one line: the time, the operator, the action, the account or key, the outcome and the network address. The operator is the name of the operator token or, for a local command, the user of the operating system. The command lists 50 lines by default.",
      "The outcome started means that the action is running or was interrupted, so parts of it may be done. An import adds one line for the first part and one for the last part of each account. The list cuts long outcomes; --json prints them in full.",
    ],
    example: "actions",
    parameters: { max: option("N", integerFrom(1, ROWS_MAX)) },
    async run({ max = ROWS_DEFAULT }, { client }) {
      const actions = await takeFirst(max, async (page: Page<string>) => {
        const { actions, next } = await client.listActions(page);
        return { items: actions, next };
      });
      const rows = actions.map(({ at, by, action, subject, outcome, detail, address }) => {
        const end = detail === null ? outcome : `${outcome}: ${detail}`;
        return [minute(at, ""), by, action, subject ?? "", cut(end, CELL_CHARS_MAX), address ?? ""];
      });
      return {
        json: {
          actions: actions.map(({ id: _, at, ...action }) => ({ at: instant(at), ...action })),
        },
        text:
          rows.length === 0
            ? "There are no operator actions yet.\n"
            : table(["at (UTC)", "by", "action", "account or key", "outcome", "from"], rows),
      };
    },
  }),
];

type Page<Cursor> = { after: Cursor | null; max: number };

const WHY_NOT_RETRIED: Record<
  Exclude<OutcomeOf<"retryJob">["outcome"], "retried">,
  (id: string, place: string) => string
> = {
  not_found: (id, place) =>
    `There is no job ${id} in ${place}. To see the dead jobs, run ${quotedCommand("jobs list --dead")}.`,
  not_dead: (id) => `Job ${id} is not dead. The server retries it automatically.`,
  erased: (id) =>
    `Job ${id} cannot be retried, because its content was erased: it was obsolete, or contained a sign-in link.`,
};

function jobsTable(jobs: OutcomeOf<"listJobs">["jobs"], dead: boolean): string {
  if (jobs.length === 0) return dead ? "There are no dead jobs.\n" : "There are no waiting jobs.\n";
  const headings = ["id", "queue", "kind", "about", "added (UTC)", "attempts"];
  const rows = jobs.map((job) => [
    job.id,
    job.queue,
    job.kind,
    job.label,
    minute(job.createdAt, ""),
    job.attempts,
    dead ? minute(job.diedAt, "") : minute(job.dueAt, "paused"),
    cut(job.lastError ?? "", CELL_CHARS_MAX),
  ]);
  return table([...headings, dead ? "died (UTC)" : "due (UTC)", "last error"], rows);
}

/** The message does not repeat the text, which may be an email address. */
function readJobId(text: string): string {
  if (isJobId(text)) return text;
  throw new UsageError(
    `This is not the id of a job. To see the ids, run ${quotedCommand("jobs list --dead")}.`,
  );
}

import { isJobId, type JobCursor } from "#jobs/operator-jobs.ts";
import type { OutcomeOf } from "#operator/operations.ts";
import { wholeFrom } from "./arguments.ts";
import { type Command, ProblemDetails, WrongUsage } from "./command.ts";
import { command } from "./define-command.ts";
import { firstOf } from "./lists.ts";
import { flag, option, word } from "./takes.ts";
import { cut, instant, minute, table, withInstants } from "./text.ts";

const SHOWN = 50;
const SHOWN_MAX = 100_000;
/** --json has the whole error. */
const ERROR_CHARS = 60;

/** `jobs …`: emails, webhook deliveries and reversals of calls that wait or have failed for good. */
export const JOB_COMMANDS: readonly Command[] = [
  command({
    name: "jobs list",
    summary: "List emails, webhooks and reversals of calls that wait or are dead",
    details: [
      "Without --dead it lists the jobs that wait for their next attempt, with --dead those that have failed for good. Dead jobs are listed for 30 days. 50 are shown without --max, oldest first.",
      "The list names the domain of an email's recipient, the endpoint of a webhook and the account of a call, and never shows what an email says.",
    ],
    example: "jobs list --dead",
    takes: { dead: flag, max: option("N", wholeFrom(1, SHOWN_MAX)) },
    async run({ dead, max = SHOWN }, { client }) {
      const found = await firstOf(max, async (order: { after: JobCursor | null; max: number }) => {
        const { jobs, next } = await client.listJobs({ dead, ...order });
        return [jobs, next];
      });
      return { json: { jobs: found.map(withInstants) }, text: textOf(found, dead) };
    },
  }),
  command({
    name: "jobs retry",
    summary: "Attempt a dead job again",
    details: [
      "The id is the one that jobs list --dead shows; put it in quotes where it has spaces. The job gets all of its attempts again. The server looks for due jobs at least once a minute.",
    ],
    example: "jobs retry let_8sWqVb2nTfJx0LkYd3PzRm7H",
    takes: { id: word("<id>", readJobId) },
    async run({ id }, { client, now, place }) {
      const { outcome } = await client.retryJob({ id, now });
      if (outcome !== "retried") throw new ProblemDetails(WHY_NOT[outcome](id, place));
      return {
        json: { id, dueAt: instant(now) },
        text: `The job ${id} is due now, with all of its attempts.\n`,
      };
    },
  }),
];

const WHY_NOT: Record<
  Exclude<OutcomeOf<"retryJob">["outcome"], "retried">,
  (id: string, place: string) => string
> = {
  not_found: (id, place) => `There is no job ${id} in ${place}. See jobs list --dead.`,
  not_dead: (id) => `The job ${id} is not dead: the server attempts it again by itself.`,
  erased: (id) =>
    `The job ${id} cannot be retried, because its content was erased: it was no longer of use, or could have signed somebody in.`,
};

function textOf(jobs: OutcomeOf<"listJobs">["jobs"], dead: boolean): string {
  if (jobs.length === 0) return dead ? "No job is dead.\n" : "No job waits.\n";
  const headings = ["id", "queue", "kind", "about", "added (UTC)", "attempts"];
  const rows = jobs.map((job) => [
    ...[job.id, job.queue, job.kind, job.label, minute(job.createdAt, ""), job.attempts],
    dead ? minute(job.diedAt, "") : minute(job.dueAt, "paused"),
    cut(job.lastError ?? "", ERROR_CHARS),
  ]);
  return table([...headings, dead ? "died (UTC)" : "due (UTC)", "last error"], rows);
}

/** What was typed is not repeated where it is no id: it may be an email address. */
function readJobId(text: string): string {
  if (isJobId(text)) return text;
  throw new WrongUsage("This is not the id of a job: jobs list --dead shows them.");
}

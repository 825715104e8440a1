import { listActions, listJobs, retryJob } from "#operator/jobs.ts";
import { commandOf } from "./command.ts";
import { cut, minute, table } from "./text.ts";

/** Commands for background jobs and the log of operator actions. */

/** Tables cut longer texts; `--json` prints them in full. */
const CELL_CHARS_MAX = 60;

export const JOB_COMMANDS = [
  commandOf(listJobs, {
    details: [
      "Without --dead the command lists the jobs that wait for their next attempt; with --dead, the jobs that have failed permanently. Dead jobs are kept for 30 days. The oldest jobs come first, 50 by default.",
      "The list shows the domain of an email's recipient, the endpoint of a webhook or the account of a call. It never shows the content of an email.",
    ],
    example: "jobs list --dead",
    print({ jobs }, { dead = false }) {
      if (jobs.length === 0)
        return dead ? "There are no dead jobs.\n" : "There are no waiting jobs.\n";
      const headings = ["id", "queue", "kind", "about", "added (UTC)", "attempts"];
      const rows = jobs.map((job) => [
        ...[job.id, job.queue, job.kind, job.label, minute(job.createdAt, ""), job.attempts],
        dead ? minute(job.diedAt, "") : minute(job.dueAt, "paused"),
        cut(job.lastError ?? "", CELL_CHARS_MAX),
      ]);
      return table([...headings, dead ? "died (UTC)" : "due (UTC)", "last error"], rows);
    },
  }),
  commandOf(retryJob, {
    details: [
      "The list of dead jobs has the id; quote it if it contains spaces. The job gets a full set of attempts. The server starts due jobs within a minute.",
    ],
    example: "jobs retry eml_8sWqVb2nTfJx0LkYd3PzRm7H",
    positionals: ["id"],
    print: ({ id }) => `Job ${id} is due now, with a full set of attempts.\n`,
  }),
  commandOf(listActions, {
    details: [
      "Every command that changes something adds one line: the time, the operator, the action, the account or key, the outcome and the network address. The operator is the user of the operating system that ran the command. The command lists 50 lines by default.",
      "The outcome started means that the action is running or was interrupted, so parts of it may be done. An import adds one line for the first part and one for the last part of each account. The list cuts long outcomes; --json prints them in full.",
    ],
    example: "actions",
    print({ actions }) {
      if (actions.length === 0) return "There are no operator actions yet.\n";
      const rows = actions.map(({ at, by, action, subject, outcome, detail, address }) => {
        const end = detail === null ? outcome : `${outcome}: ${detail}`;
        return [minute(at, ""), by, action, subject ?? "", cut(end, CELL_CHARS_MAX), address ?? ""];
      });
      return table(["at (UTC)", "by", "action", "account or key", "outcome", "from"], rows);
    },
  }),
];

import { type Call, type Command, type Outcome, WrongUsage } from "./cli-command.ts";
import { cut, instant, minute, table } from "./cli-text.ts";

/** `acts`: what operators did to a deployed service. */
export const ACT_COMMANDS: readonly Command[] = [
  {
    name: "acts",
    form: "[--max N]",
    summary: "List what operators did to a deployed service, newest first",
    details: [
      "Each act leaves one line: when, what, to which account or key, with what outcome, from which network address. What only reads leaves none, and of an account that an import brings, only the first part and the last. Long outcomes are cut here and whole with --json. 50 lines are shown without --max.",
    ],
    example: "acts --remote https://tools.example.com",
    words: [],
    options: { max: { type: "string" } },
    only: {
      on: "remote",
      otherwise:
        "is about a deployed service: name it with --remote URL. What is done to the data here is done by whoever may write it, and no list is kept.",
    },
    run: acts,
  },
];

const SHOWN = 50;
const SHOWN_MAX = 100_000;
const PAGE = 500;
/** A refusal is a sentence or two; --json has it whole. */
const OUTCOME_CHARS = 60;

async function acts(call: Call): Promise<Outcome> {
  const max = readMax(call.option("max"));
  if (call.remote === null) throw new WrongUsage("acts needs --remote URL.");
  const { createRemoteDesk } = await import("./cli-remote-client.ts");
  const desk = createRemoteDesk(call.remote);
  const found = [];
  for (let after: string | null = null; found.length < max; ) {
    const page = await desk.listActs({ after, max: Math.min(PAGE, max - found.length) });
    found.push(...page.acts);
    if (page.next === null) break;
    after = page.next;
  }
  const rows = found.map(({ at, act, subject, outcome, address }) => [
    minute(at, ""),
    act,
    subject ?? "",
    cut(outcome, OUTCOME_CHARS),
    address ?? "",
  ]);
  return {
    json: {
      acts: found.map(({ at, act, subject, outcome, address }) => ({
        at: instant(at),
        act,
        subject,
        outcome,
        address,
      })),
    },
    text:
      rows.length === 0
        ? "No operator has changed anything there yet.\n"
        : table(["at (UTC)", "act", "account or key", "outcome", "from"], rows),
  };
}

function readMax(text: string | undefined): number {
  if (text === undefined) return SHOWN;
  const max = Number(text);
  if (/^\d+$/.test(text) && max >= 1 && max <= SHOWN_MAX) return max;
  throw new WrongUsage(`--max must be a whole number from 1 to ${SHOWN_MAX}; got "${text}".`);
}

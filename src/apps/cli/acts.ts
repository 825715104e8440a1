import { wholeFrom } from "./arguments.ts";
import type { Command } from "./command.ts";
import { command } from "./define-command.ts";
import { firstOf } from "./lists.ts";
import { option } from "./takes.ts";
import { cut, instant, minute, table } from "./text.ts";

const SHOWN = 50;
const SHOWN_MAX = 100_000;
/** A refusal is a sentence or two; --json has it whole. */
const OUTCOME_CHARS = 60;

/** `acts`: what operators did. */
export const ACT_COMMANDS: readonly Command[] = [
  command({
    name: "acts",
    summary: "List what operators did, newest first",
    details: [
      "Each act leaves one line: when, who, what, to which account or key, with what outcome, and from which network address where it came over the network. Who is the name of the token, or the user of this machine who ran the command. What only reads leaves none, and of an account that an import brings, only the first part and the last. An act that says started is under way, or broke off: some of it may be done. Long outcomes are cut here and whole with --json. 50 lines are shown without --max.",
    ],
    example: "acts",
    takes: { max: option("N", wholeFrom(1, SHOWN_MAX)) },
    async run({ max = SHOWN }, { client }) {
      const found = await firstOf(max, async (order: { after: string | null; max: number }) => {
        const { acts, next } = await client.listActs(order);
        return [acts, next];
      });
      const rows = found.map(({ at, by, act, subject, outcome, detail, address }) => {
        const end = detail === null ? outcome : `${outcome}: ${detail}`;
        return [minute(at, ""), by, act, subject ?? "", cut(end, OUTCOME_CHARS), address ?? ""];
      });
      return {
        json: { acts: found.map(({ id: _, at, ...act }) => ({ at: instant(at), ...act })) },
        text:
          rows.length === 0
            ? "No operator has changed anything there yet.\n"
            : table(["at (UTC)", "by", "act", "account or key", "outcome", "from"], rows),
      };
    },
  }),
];

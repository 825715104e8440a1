import { quotedCommand } from "#command-line.ts";
import { parseCallRef } from "#ids.ts";
import type { OutcomeOf } from "#operator/operations.ts";
import { type Command, CommandError, positional, UsageError } from "./command.ts";
import { command } from "./deployment.ts";
import { counted, instant, instantOrNull } from "./text.ts";

/** Commands for single calls, by the id that the log and errors with `callId` have. */

const WHERE = [
  "The id is in `callId` of an error that says that the call may have been charged, and in the log line of every call that was charged or may have been. It contains the account and the time.",
];

export const CALL_COMMANDS: readonly Command[] = [
  command({
    name: "calls show",
    summary: "Show whether a call was charged",
    details: [
      ...WHERE,
      "Single calls are kept for 30 days. After that they are rolled up by hour and no longer found.",
    ],
    example: "calls show call_lODV4u6rdhb00VbbIfQgT8vWz3HcY5m0a1",
    parameters: { id: positional("<id>", readCallId) },
    async run({ id }, { client, place }) {
      const found = await client.findCall({ id });
      if (found.record.outcome === "not_found") throw notFound(id, found, place);
      return { json: jsonOf(id, found), text: textOf(id, found) };
    },
  }),
  command({
    name: "calls reverse",
    summary: "Give back the credits of a call, once",
    details: [
      ...WHERE,
      "The credits go back to the grants that paid. A repeat with the call's Idempotency-Key is a new call then. Repeating the command changes nothing. A call that was rolled up cannot be reversed; use credits grant instead.",
    ],
    example: "calls reverse call_lODV4u6rdhb00VbbIfQgT8vWz3HcY5m0a1",
    parameters: { id: positional("<id>", readCallId) },
    async run({ id }, { client, place, now }) {
      const { reversed, ...found } = await client.reverseCall({ id, now });
      const { record } = found;
      if (record.outcome === "not_found") throw notFound(id, found, place);
      if (record.outcome === "rolled_up")
        throw new CommandError(
          `${ROLLED_UP} It cannot be reversed. To give credits back, see ${quotedCommand("credits grant --help")}.`,
        );
      const after = { ...found, record: reversed ? { ...record, reversedAt: now } : record };
      return {
        json: { ...jsonOf(id, after), reversed },
        text: `${reversed ? "Reversed." : NOTHING_CHANGED}\n${textOf(id, after)}`,
      };
    },
  }),
];

const ROLLED_UP =
  "The calls of that hour are rolled up, so it is no longer stored whether this one was charged.";

const NOTHING_CHANGED = "It was reversed before. Nothing was changed.";

/** Without the account, nothing is said of the charge: it may be in another data folder, or closed. */
const notFound = (id: string, { account, email }: Found, place: string) =>
  new CommandError(
    email === null
      ? `There is no call ${id} in ${place}, and no open account ${account}. Check the id, and that this is the service that took the call.`
      : `There is no call ${id} in ${place}. It was not charged.`,
  );

function readCallId(text: string): string {
  if (parseCallRef(text) !== null) return text;
  throw new UsageError(
    "This is not the id of a call. It begins with call_ and contains the account's id and the time; request ids (req_…) lead to it through the log.",
  );
}

type Found = OutcomeOf<"findCall">;

function jsonOf(id: string, { account, email, at, record }: Found): object {
  const base = { id, account, email, at: instant(at) };
  if (record.outcome !== "found") {
    const reversedAt = record.outcome === "not_found" ? null : instantOrNull(record.reversedAt);
    return { ...base, outcome: record.outcome, reversedAt };
  }
  const { outcome: _, reversedAt, parts, isFree, isRepeatable, ...call } = record;
  return {
    ...base,
    outcome: reversedAt === null ? "charged" : "reversed",
    ...call,
    freeCall: isFree,
    grants: parts.map(({ grant, ...part }) => ({ id: grant, ...part })),
    reversedAt: instantOrNull(reversedAt),
    repeatable: isRepeatable,
  };
}

function textOf(id: string, { account, email, at, record }: Found): string {
  const lines = [
    ["call", id],
    ["account", email === null ? account : `${account} (${email})`],
    ["time", instant(at)],
  ];
  if (record.outcome === "found") {
    const { key, tool, credits, isFree, parts, reversedAt, isRepeatable } = record;
    const paid = parts.map((part) => `${part.credits} from ${part.grant}`).join(", ");
    lines.push(
      ["tool", tool],
      ["key", key],
      ["charged", isFree ? "0 credits (the free first call)" : counted(credits, "credit")],
      ...(paid === "" ? [] : [["grants", paid]]),
      ["reversed", reversedAt === null ? "no" : instant(reversedAt)],
      [
        "idempotency key",
        isRepeatable ? "kept: a repeat is not charged again" : "none, or no longer kept",
      ],
    );
  } else if (record.outcome === "never_charged") {
    lines.push([
      "charged",
      `no: it was reversed before its debit arrived, at ${instant(record.reversedAt)}`,
    ]);
  } else if (record.outcome === "rolled_up") {
    const { reversedAt } = record;
    lines.push([
      "charged",
      reversedAt === null ? ROLLED_UP : `yes, and reversed at ${instant(reversedAt)}`,
    ]);
  }
  const width = Math.max(...lines.map(([name = ""]) => name.length)) + 2;
  return lines.map(([name = "", value]) => `${name.padEnd(width)}${value}\n`).join("");
}

import type * as z from "zod";
import { counted } from "#counted.ts";
import { reverseCall, showCall } from "#operator/calls.ts";
import { commandOf } from "./command.ts";
import { lines } from "./text.ts";

/** Commands for single calls, by the id that the log and errors with `callId` have. */

const WHERE =
  "The id is in `callId` of an error that says that the call may have been charged or may have done its work, in the log line of every call that was charged or may have been, and in the account's ledger entries. It contains the account and the time.";
const EXAMPLE_ID = "call_lODV4u6rdhb00VbbIfQgT8vWz3HcY5m0a1";

export const CALL_COMMANDS = [
  commandOf(showCall, {
    details: [
      WHERE,
      "Single calls are kept for 30 days. After that they are rolled up by hour and no longer found.",
    ],
    example: `calls show ${EXAMPLE_ID}`,
    positionals: ["id"],
    print: textOf,
  }),
  commandOf(reverseCall, {
    details: [
      WHERE,
      "The credits go back to the grants that paid. A repeat with the call's Idempotency-Key is then a new call; but a call that may have done its work (effect act) never runs again, and its repeat gets 409 outcome_unknown. Repeating the command changes nothing. A call that was rolled up cannot be reversed; use credits grant instead.",
    ],
    example: `calls reverse ${EXAMPLE_ID}`,
    positionals: ["id"],
    print: (call) =>
      `${call.reversed ? "Reversed." : "It was reversed before. Nothing was changed."}\n${textOf(call)}`,
  }),
];

type Shown = z.infer<typeof showCall.output>;

const MAY_HAVE_ACTED =
  "The call may have done its work, so it does not run again under its Idempotency-Key for 24 hours";

const returnedBy = ({ freeCall, credits = 0 }: Shown): string =>
  freeCall === true
    ? "the first call is free again"
    : `${counted(credits, "credit")} went back to the grants`;

function textOf(call: Shown): string {
  const { id, account, email, at, outcome, reversedAt, grants = [] } = call;
  const paid = grants.map((part) => `${part.credits} from ${part.id}`).join(", ");
  const charged =
    outcome === "never_charged"
      ? `no: it was reversed at ${reversedAt}, before it was charged${call.mayHaveActed ? `. ${MAY_HAVE_ACTED}` : ""}`
      : reversedAt === null
        ? "unknown: the calls of that hour are rolled up, so single ones are no longer stored"
        : `yes, and reversed at ${reversedAt}`;
  return lines([
    ["call", id],
    ["account", email === null ? account : `${account} (${email})`],
    ["time", at],
    ...(call.tool === undefined || call.key === undefined
      ? [["charged", charged] as const]
      : ([
          ["tool", call.tool],
          ["key", call.key],
          [
            "charged",
            outcome === "running"
              ? `not yet: it is running, and holds ${counted(call.credits ?? 0, "credit")}`
              : call.freeCall === true
                ? "0 credits (the free first call)"
                : counted(call.credits ?? 0, "credit"),
          ],
          ...(paid === "" ? [] : [["grants", paid] as const]),
          ["reversed", reversedAt === null ? "no" : `at ${reversedAt}: ${returnedBy(call)}`],
          ...(call.mayHaveActed ? [["work", MAY_HAVE_ACTED] as const] : []),
          [
            "idempotency key",
            call.repeatable === true
              ? "kept: a repeat is not charged again"
              : call.mayHaveActed
                ? "kept: a repeat gets 409 outcome_unknown"
                : "none, or no response is kept for a repeat",
          ],
        ] as const)),
  ]);
}

import * as z from "zod";
import { AccountError, runSteps } from "#accounts/accounts.ts";
import { quotedCommand } from "#command-line.ts";
import { counted } from "#counted.ts";
import type { OperatorContext } from "./context.ts";
import { callId, count, grantKind, textOrNull, time, timeOrNull } from "./members.ts";
import { defineOperation, done, unchanged } from "./operation.ts";

/** Operations on single calls: to see whether one was charged, and to give its credits back. */

const found = z.object({
  ...{ id: z.string(), account: z.string() },
  /** Null if the account is closed. */
  ...{ email: textOrNull, at: time },
  /**
   * `running`: its price is held, and not charged yet. `never_charged`: it was reversed before its debit arrived. `rolled_up`: single calls
   * of that hour are no longer kept.
   */
  outcome: z.enum(["charged", "reversed", "running", "never_charged", "rolled_up"]),
  reversedAt: timeOrNull,
  /** Of a call that is still kept. */
  key: z.string().optional(),
  tool: z.string().optional(),
  credits: count.optional(),
  freeCall: z.boolean().optional(),
  grants: z.array(z.object({ id: z.string(), kind: grantKind, credits: count })).optional(),
  /** Whether a repeat with its idempotency key would be replayed. */
  repeatable: z.boolean().optional(),
  /** It may have done its work, although it was reversed or did not end with a response: a repeat with its idempotency key does not run. */
  mayHaveActed: z.literal(true).optional(),
});
type Found = z.input<typeof found>;
type Call = z.output<typeof callId>;

const input = z.strictObject({ id: callId });

export const showCall = defineOperation({
  name: "calls show",
  summary: "Show whether a call was charged",
  input,
  output: found,
  find: findCall,
  action: null,
  run: async (_, __, ___, call) => call,
});

export const reverseCall = defineOperation({
  name: "calls reverse",
  summary: "Give back the credits of a call, once",
  input,
  output: found.extend({ reversed: z.boolean() }),
  find: findCall,
  action: {
    subject: ({ id }) => id,
    end: ({ reversed, credits = 0 }) =>
      reversed ? done(`${counted(credits, "credit")} returned`) : unchanged("reversed before"),
  },
  /** A call that is not found is left alone: the ledger would remember its reversal, and reject its debit if it still arrives. */
  async run(context, { id: call }, { now }, found) {
    if (found.outcome === "rolled_up")
      throw new AccountError(
        `The calls of that hour are rolled up, so the ledger no longer shows whether this one was charged. It cannot be reversed. To give credits back, see ${quotedCommand("credits grant --help")}.`,
      );
    if (found.outcome === "running")
      throw new AccountError(
        "The call is still running and is not charged yet. If it fails, its hold is released automatically. Try again when it has ended.",
      );
    if (found.outcome === "never_charged") return { ...found, reversed: false };
    const { account, callId, at } = call;
    const { reversed } = await context.ledger.reverse({ account, callId, at, now });
    if (!reversed) return { ...found, reversed };
    return { ...(await runSteps(() => findCall(context, { id: call }))), reversed };
  },
});

async function findCall(
  { ledger, directory }: Pick<OperatorContext, "ledger" | "directory">,
  { id: { id, account, callId, at } }: { id: Call },
): Promise<Found> {
  const [record, address] = await Promise.all([
    ledger.findCall({ account, callId, at }),
    directory.findByAccount({ account }),
  ]);
  const email = address?.email ?? null;
  const base = { id, account, email, at };
  if (record.outcome === "unknown")
    throw new AccountError(
      `The call ${id} was not charged, and it did not end with a response. Its outcome is unknown: it may have done its work, so it does not run again under its Idempotency-Key for 24 hours.`,
    );
  if (record.outcome === "not_found")
    // Without the account, nothing is said of the charge: it may be of another service, or closed.
    throw new AccountError(
      email === null
        ? `There is no call ${id}, and no open account ${account}. Check the id, and that this is the service that took the call.`
        : `There is no call ${id}. It was not charged.`,
    );
  if (record.outcome === "held") {
    const { key, tool, credits, isFree: freeCall } = record;
    return { ...base, outcome: "running", key, tool, credits, freeCall, reversedAt: null };
  }
  const { reversedAt } = record;
  if (record.outcome === "rolled_up") return { ...base, outcome: record.outcome, reversedAt };
  const acted = record.mayHaveActed && { mayHaveActed: record.mayHaveActed };
  if (record.outcome === "never_charged")
    return { ...base, outcome: record.outcome, reversedAt, ...acted };
  const { key, tool, credits, isFree: freeCall, parts, isRepeatable: repeatable } = record;
  return {
    ...{ ...base, outcome: reversedAt === null ? "charged" : "reversed" },
    ...{ key, tool, credits, freeCall, repeatable, reversedAt },
    grants: parts.map(({ grant, ...part }) => ({ id: grant, ...part })),
    ...acted,
  };
}

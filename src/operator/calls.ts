import { parseCallRef } from "#ids.ts";
import { OrderRejected } from "#ledger/port.ts";
import type { OperatorContext } from "./context.ts";
import { done, type OperationsOf, unchanged } from "./define-operation.ts";
import type { CALL_SCHEMAS } from "./schemas/calls.ts";

/** Operations on single calls: to see whether one was charged, and to give its credits back. */

type Context = Pick<OperatorContext, "ledger" | "directory">;

async function find({ ledger, directory }: Context, id: string) {
  const call = parseCallRef(id);
  if (call === null) throw new OrderRejected(`"${id}" is not the id of a call`);
  const [record, address] = await Promise.all([
    ledger.findCall(call),
    directory.findByAccount({ account: call.account }),
  ]);
  return {
    call,
    found: { account: call.account, email: address?.email ?? null, at: call.at, record },
  };
}

export const CALL_OPERATIONS: OperationsOf<typeof CALL_SCHEMAS> = {
  findCall: {
    action: null,
    run: async (context, { id }) => (await find(context, id)).found,
  },
  reverseCall: {
    action: {
      subject: ({ id }) => id,
      end: ({ reversed, record }) =>
        reversed && record.outcome === "found"
          ? done(`${record.credits} ${record.credits === 1 ? "credit" : "credits"} returned`)
          : unchanged(
              record.outcome === "found" ? "reversed before" : record.outcome.replace("_", " "),
            ),
    },
    /** A call that is not found is left alone: the ledger would remember its reversal, and reject its debit if it still arrives. */
    async run(context, { id, now }) {
      const { call, found } = await find(context, id);
      const isFound = found.record.outcome === "found";
      const { reversed } = isFound
        ? await context.ledger.reverse({ ...call, now })
        : { reversed: false };
      return { ...found, reversed };
    },
  },
};

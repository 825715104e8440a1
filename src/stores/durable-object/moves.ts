import type { AccountMoves, MoveOperations } from "#ledger/transfer/account-moves.ts";
import type { BatchResult } from "../sqlite/batch.ts";
import { askForAll } from "./ledger.ts";

/** An object whose account moves, as a Worker reaches it. */
export type MovingStub = {
  [Name in keyof MoveOperations]: (order: MoveOperations[Name][0]) => Promise<BatchResult>;
};

/** Moving accounts in and out of their objects. A stub that has failed is not used again. */
export function movesOfObjects(find: (order: { account: string }) => MovingStub): AccountMoves {
  const over = (name: keyof MoveOperations) => (order: { account: string }) =>
    askForAll(() => find(order)[name](order as never)) as Promise<never>;
  return {
    openSnapshot: async () => ({ snapshot: null }),
    exportRecords: over("exportRecords"),
    beginImport: over("beginImport"),
    importRecords: over("importRecords"),
    finishImport: over("finishImport"),
  };
}

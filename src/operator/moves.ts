import { runSteps } from "#accounts/accounts.ts";
import { isStartUnder } from "#accounts/key-format.ts";
import { done, type OperationsOf, ofAccount, unchanged } from "./define-operation.ts";
import { exportPage, importAddresses, importPage } from "./move-actions.ts";
import type { MOVE_SCHEMAS } from "./schemas/moves.ts";

/** Operations that export and import accounts, one at a time. */

export const MOVE_OPERATIONS: OperationsOf<typeof MOVE_SCHEMAS> = {
  /** Returns for the first characters of each key whether this service has the key's secret. */
  knowsKeys: {
    action: null,
    async run({ accountDeps }, { starts }) {
      const { secrets } = await accountDeps();
      return { known: starts.map((start) => isStartUnder(start, secrets)) };
    },
  },
  openSnapshot: {
    action: null,
    run: ({ moves }) => moves.openSnapshot(),
  },
  /** Returns a page of an account's records. See the port `AccountMoves` for `snapshot`, `hold` and `state`. */
  exportAccount: {
    action: null,
    run: exportPage,
  },
  /**
   * Imports a page of an account: `begin` marks the first page, `finish` the last one. The account accepts no calls until it is
   * finished. Fails if the totals do not reconcile.
   */
  importAccount: {
    action: {
      ...ofAccount,
      isPart: ({ begin, finish }) => !begin && !finish,
      end: ({ outcome }) =>
        outcome === "opened_before"
          ? unchanged("opened before")
          : done(outcome === "taken" ? "import begun" : outcome),
    },
    run: (context, order) => runSteps(() => importPage(context, order)),
  },
  /** `refused` lists accounts whose address belongs to another account here; `by` is null if they have another address. */
  importAddresses: {
    action: {
      subject: () => null,
      end: ({ taken, refused }) => done(`${taken} taken, ${refused.length} refused`),
    },
    run: ({ directory }, { records }) => runSteps(() => importAddresses(directory, records)),
  },
};

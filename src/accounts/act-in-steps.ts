import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";

/**
 * Several steps, each in a store for itself. Where a later one was not carried out an earlier one may have been, so nobody
 * may say that nothing was changed.
 */
export async function runSteps<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    if (!(error instanceof NotCarriedOut)) throw error;
    throw new OutcomeUnknown(`Broken off between two steps: ${error.message}`, { cause: error });
  }
}

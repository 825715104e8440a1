import { doubling } from "#jobs/back-off.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { SchemaMismatch, SchemaTooNew } from "../schema/migrations.ts";

/** After a failure, the data is opened again at the next operation after this time, which doubles with each failure. */
const AGAIN_AFTER_MS = 1_000;
export const AGAIN_AFTER_MAX_MS = 60_000;

const UNUSABLE = "This version cannot use the ledger of an account; its calls get 503";

type OpeningFault = {
  message: string;
  /** Only other code can use the data, so it is not opened again: the platform starts an object anew with new code. */
  isFinal: boolean;
  /** How often the data could not be opened since it last was. */
  failures: number;
};

/** The data of an account's object. */
export type Opening<Data> = {
  /** Returns the data, and opens it again if that has failed before. Throws `NotCarriedOut` if it cannot be used. */
  use(): Data;
  /** The last fault; null while the data is open. */
  fault(): OpeningFault | null;
};

/**
 * Opens the data of an object when the object starts. A constructor that threw would look to the Worker like a lost response: it
 * could not tell that nothing was debited, and would queue a reversal for each call. So whatever `open` throws (a migration that
 * fails, an error of the storage, a bug) is kept as a fault, and every operation is rejected with it. Migrations are transactional, so
 * a failed `open` leaves the data as it was.
 */
export function createOpening<Data>(open: () => Data): Opening<Data> {
  let opened: { data: Data } | null = null;
  let fault: OpeningFault | null = null;
  let againAt = 0;

  function tryToOpen(): void {
    try {
      opened = { data: open() };
      fault = null;
    } catch (error) {
      const failures = (fault?.failures ?? 0) + 1;
      const message = error instanceof Error ? error.message : String(error);
      const isFinal = error instanceof SchemaTooNew || error instanceof SchemaMismatch;
      fault = { message, isFinal, failures };
      againAt = Date.now() + doubling(failures, AGAIN_AFTER_MS, AGAIN_AFTER_MAX_MS);
      console.error(JSON.stringify({ message: UNUSABLE, cause: message }));
    }
  }

  tryToOpen();
  return {
    use() {
      if (fault !== null && !fault.isFinal && Date.now() >= againAt) tryToOpen();
      if (opened === null) throw new NotCarriedOut(fault?.message);
      return opened.data;
    },
    fault: () => fault,
  };
}

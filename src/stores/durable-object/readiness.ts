/** The name of the object that `/readyz` writes to. No account's id has this length. */
export const READINESS_OBJECT = "readiness";

/** While calls arrive, an account's object repeats its report at this interval. */
const REPORT_EVERY_MS = 10_000;
/** `/readyz` fails for this long after the last report. */
const REPORT_COUNTS_MS = 60_000;

export type ReadinessStub = { reportFault(fault: string): Promise<void> };

/**
 * Makes `/readyz` fail if this code cannot use the data of some accounts. After a rollback, the readiness object may have the schema
 * of this code while accounts that the newer Worker opened do not. The objects of those accounts report it to the readiness object,
 * which then fails its probe. Reports are kept in memory, because they are repeated for as long as calls fail.
 */
export function createFaultReports(find: (() => ReadinessStub) | null) {
  let sentAt = Number.NEGATIVE_INFINITY;
  let last: { at: number; fault: string } | null = null;
  return {
    /** Called by an object that cannot use its data. Resolves when the report arrived or could not be sent. */
    async send(fault: string): Promise<void> {
      const now = Date.now();
      if (find === null || now - sentAt < REPORT_EVERY_MS) return;
      sentAt = now;
      await find()
        .reportFault(fault)
        .catch((cause) =>
          console.error(JSON.stringify({ message: NOT_SENT, cause: String(cause) })),
        );
    },
    /** Called by the readiness object. */
    receive(fault: string): void {
      last = { at: Date.now(), fault };
    },
    /** Returns the fault that was reported recently; null if there is none. */
    current: (): string | null =>
      last !== null && Date.now() - last.at < REPORT_COUNTS_MS ? last.fault : null,
  };
}

const NOT_SENT = "The object of an account could not report to /readyz that its data is unusable";

/** The object that `/readyz` writes to; no account's part has this length. */
export const READINESS_OBJECT = "readiness";

/** An account's object repeats its report while calls arrive, at most this often. */
const REPORT_EVERY_MS = 10_000;
/** `/readyz` fails until so long after the last report. */
const REPORT_COUNTS_MS = 60_000;

export type ReadinessStub = { reportFault(fault: string): Promise<void> };

/**
 * How `/readyz` learns that this code cannot use the data of some accounts: after a rollback the readiness object may have the
 * schema of this code while accounts that the newer Worker opened do not. Their objects report it to the readiness object,
 * which fails its probe. Kept in memory: the reports go on for as long as calls fail.
 */
export function createFaultReports(find: (() => ReadinessStub) | null) {
  let sentAt = Number.NEGATIVE_INFINITY;
  let last: { at: number; fault: string } | null = null;
  return {
    /** For an object that cannot use its data. Resolves when the report arrived, or could not be sent. */
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
    /** For the readiness object. */
    receive(fault: string): void {
      last = { at: Date.now(), fault };
    },
    /** The fault that was reported of late; null: none. */
    current: (): string | null =>
      last !== null && Date.now() - last.at < REPORT_COUNTS_MS ? last.fault : null,
  };
}

const NOT_SENT = "An account's object could not report to /readyz that its data cannot be used";

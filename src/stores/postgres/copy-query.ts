import pg from "pg";

/** What pg's connection has beside what its types say. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/**
 * Statements of which one is a COPY from the client, and the rows for it, sent together without waiting to be asked for
 * them: one round trip. Where a statement before the COPY fails, the server ignores the rows.
 */
export function queryWithCopy(
  text: string,
  rows: string,
  timeoutMs: number,
  done: (error: Error | undefined, result: unknown) => void,
): pg.Submittable {
  const query = new pg.Query({ text }, done);
  const { submit } = query;
  return Object.assign(query, {
    query_timeout: timeoutMs,
    submit(connection: CopyConnection) {
      connection.stream.cork();
      submit.call(query, connection);
      connection.sendCopyFromChunk(Buffer.from(rows));
      connection.endCopyFrom();
      connection.stream.uncork();
    },
    // They are on their way.
    handleCopyInResponse() {},
  });
}

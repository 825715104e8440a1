import pg from "pg";

/** Methods of pg's connection that its types lack. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/**
 * Creates a query of statements with one COPY FROM STDIN, and sends the rows along with them, in one round trip. If a statement
 * before the COPY fails, the server ignores the rows.
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
    // The rows were already sent.
    handleCopyInResponse() {},
  });
}

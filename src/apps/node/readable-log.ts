import { prettyFactory } from "pino-pretty";
import { counted } from "#counted.ts";

/** The log for a person at a terminal: one short line per message, in local time. Everywhere else it is JSON. */

/** Members of a request's line that `messageOf` shows, or that say nothing to a person. */
const OF_A_REQUEST = [
  ...["method", "route", "tool", "status", "code", "account", "key", "charged", "callId"],
  ...["replayed", "delivered", "durationMs", "requestId", "traceId"],
];

/** Creates a function that turns a line of JSON into a readable one. Anything else passes unchanged. */
export function createReadableLines({ colors }: { colors: boolean }): (line: string) => string {
  const options = { colorize: colors, translateTime: "SYS:HH:MM:ss.l", singleLine: true };
  const request = prettyFactory({
    ...options,
    ignore: OF_A_REQUEST.join(","),
    messageFormat: (entry) => messageOf(entry as RequestLine),
  });
  const other = prettyFactory(options);
  return (line) => (line.endsWith(',"msg":"request"}') ? request(line) : other(line));
}

type RequestLine = {
  method: string;
  route: string;
  status: number;
  code: string | null;
  charged: number | null;
  replayed: boolean;
  delivered: boolean;
  durationMs: number;
  requestId: string;
};

function messageOf({
  method,
  route,
  status,
  code,
  charged,
  replayed,
  delivered,
  durationMs,
  requestId,
}: RequestLine) {
  const credits = charged === null ? [] : [counted(charged, "credit")];
  const marks = [...(replayed ? ["replayed"] : []), ...(delivered ? [] : ["not delivered"])];
  const parts = [...credits, ...marks, `${durationMs} ms`];
  return `${method} ${route} ${status}${code === null ? "" : ` ${code}`} (${parts.join(", ")}) ${requestId}`;
}

import { keptProblem, NO_PROBLEM, type RequestEntry } from "#accounts/request-log.ts";
import { milliseconds } from "#calls/reply.ts";
import type { RequestContext } from "#calls/request-context.ts";

/** What the access log and the metrics record of a request. Never contains a key or a body. */
export type AccessLogEntry = Pick<
  RequestContext,
  | "requestId"
  | "method"
  | "route"
  | "tool"
  | "code"
  | "account"
  | "key"
  | "traceId"
  | "charged"
  | "callId"
  | "replayed"
> & {
  status: number;
  /** Whether the response was handed to the network. False: the connection was lost before, and what was charged stays charged. */
  delivered: boolean;
  durationMs: number;
};

export const accessLogEntry = (
  context: RequestContext,
  status: number,
  durationMs: number,
  delivered: boolean,
): AccessLogEntry => ({
  requestId: context.requestId,
  method: context.method,
  route: context.route,
  tool: context.tool,
  status,
  code: context.code,
  account: context.account,
  key: context.key,
  traceId: context.traceId,
  charged: context.isChargeInDoubt ? null : context.charged,
  callId: context.callId,
  replayed: context.replayed,
  delivered,
  durationMs: milliseconds(durationMs),
});

/**
 * The entry of a call in the log that its customer sees; null if the request was no call, or its key belongs to no account: the one
 * in a forged key is only a claim. `byteLength`: of a text in UTF-8.
 */
export function requestLogEntry(
  {
    requestId,
    tool,
    status,
    code,
    account,
    key,
    charged,
    replayed,
    delivered,
    durationMs,
  }: AccessLogEntry,
  context: RequestContext,
  byteLength: (text: string) => number,
): { account: string; entry: RequestEntry } | null {
  if (tool === null || account === null || key === null) return null;
  const { sent, times, problem } = context;
  return {
    account,
    entry: {
      id: requestId,
      at: context.receivedAt,
      tool,
      status,
      code,
      key,
      via: context.isMcp ? "mcp" : "http",
      charged,
      replayed,
      times: { total: durationMs, body: times.body, tool: times.tool, ledger: times.ledger },
      bytes: {
        received: context.receivedBytes,
        sent: delivered ? lengthOf(sent, byteLength) : null,
      },
      address: context.address,
      ...(problem === null ? NO_PROBLEM : keptProblem(problem)),
    },
  };
}

function lengthOf(sent: RequestContext["sent"], byteLength: (text: string) => number): number {
  if (typeof sent === "number") return sent;
  return typeof sent === "string" ? byteLength(sent) : sent.byteLength;
}

import type { RequestChunk, RequestLogReads } from "#accounts/request-log.ts";
import { type BatchResult, unwrap } from "../ledger/store-ledger.ts";
import { sendToObject } from "./sending.ts";

/** The request logs of accounts that are Durable Objects, as a Worker uses them. */

export type RequestOperation = "append" | keyof RequestLogReads;

/** The part of the stub of an account's object (`account-object.ts`) that is its request log. */
export type RequestLogStub = {
  requestLog(name: RequestOperation, order: unknown): Promise<BatchResult>;
};

export type RequestLogOfObjects = RequestLogReads & {
  /** Rejects if the requests may not be in the log, with `NotCarriedOut` if they certainly are not. */
  append(chunk: RequestChunk): Promise<void>;
};

/** Returns a stub of the object of an account. A stub that failed must not be used again, so each attempt gets a new one. */
type FindStub = (order: { account: string }) => RequestLogStub;

/** A Worker has 30 s in all to hand requests over (`WORKER_RECORDER`). */
const APPEND_TIMEOUT_MS = 3_000;

export function requestLogOfObjects(find: FindStub): RequestLogOfObjects {
  const target = "The account's request log";
  const read =
    <Name extends keyof RequestLogReads>(name: Name) =>
    (order: Parameters<RequestLogReads[Name]>[0]) =>
      sendToObject(async () => unwrap(await find(order).requestLog(name, order)), {
        ...{ target, isRepeatable: true },
      }) as ReturnType<RequestLogReads[Name]>;
  return {
    list: read("list"),
    summarize: read("summarize"),
    counts: read("counts"),
    async append(chunk) {
      await sendToObject(async () => unwrap(await find(chunk).requestLog("append", chunk)), {
        // A call twice in the log is worse than one that it lacks.
        ...{ target, isRepeatable: false, timeoutMs: APPEND_TIMEOUT_MS },
      });
    },
  };
}

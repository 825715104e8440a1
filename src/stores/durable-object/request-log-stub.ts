import type { RequestLogReads } from "#accounts/request-log.ts";
import { type BatchResult, unwrap } from "../sqlite/batch.ts";
import type { AppendOrder } from "./request-log.ts";
import { type Sending, sendToObject } from "./sending.ts";

/** The request logs of accounts that are Durable Objects, as a Worker uses them. */

export type RequestOperation = "append" | keyof RequestLogReads;

/** The part of the stub of an account's object (`account-object.ts`) that is its request log. */
export type RequestLogStub = {
  requestLog(name: RequestOperation, order: unknown): Promise<BatchResult>;
};

export type RequestLogOfObjects = RequestLogReads & {
  /** `isAgain`: an earlier attempt may have added the requests. Rejects if they may not be in the log. */
  append(order: AppendOrder): Promise<void>;
};

/** Returns a stub of the object of an account. A stub that failed must not be used again, so each attempt gets a new one. */
type FindStub = (order: { account: string }) => RequestLogStub;

/** A Worker has 30 s in all to hand requests over (`apps/edge/request-recorder.ts`). */
const APPEND_TIMEOUT_MS = 3_000;

export function requestLogOfObjects(find: FindStub): RequestLogOfObjects {
  const read =
    <Name extends keyof RequestLogReads>(name: Name) =>
    (order: Parameters<RequestLogReads[Name]>[0]) =>
      send(() => find(order).requestLog(name, order)) as ReturnType<RequestLogReads[Name]>;
  return {
    list: read("list"),
    summarize: read("summarize"),
    counts: read("counts"),
    async append({ chunk, isAgain }) {
      await send((isRepeated) => {
        const order: AppendOrder = { chunk, isAgain: isAgain || isRepeated };
        return find(chunk).requestLog("append", order);
      }, APPEND_TIMEOUT_MS);
    },
  };
}

const send = (
  ask: (isAgain: boolean) => Promise<BatchResult>,
  timeoutMs?: number,
): Promise<unknown> =>
  sendToObject(async (isAgain) => unwrap(await ask(isAgain)), {
    ...REQUEST_LOG,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });

const REQUEST_LOG: Sending = { target: "The account's request log", isRepeatable: true };

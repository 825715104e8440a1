import { waitUntil } from "cloudflare:workers";
import type { RequestChunk, RequestLogBounds } from "#accounts/request-log.ts";
import { createRequestRecorder, type Handed, WORKER_RECORDER } from "#accounts/request-recorder.ts";
import { accessLogEntry, requestLogEntry } from "#api/access-log.ts";
import type { AppContext } from "#calls/app-context.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { type ObjectNamespace, objectsOf } from "#stores/durable-object/objects.ts";
import {
  type RequestLogOfObjects,
  type RequestLogStub,
  requestLogOfObjects,
} from "#stores/durable-object/request-log-stub.ts";

/** The request logs of all accounts, in their objects. */
export const openEdgeRequestLog = (env: {
  LEDGER: ObjectNamespace<RequestLogStub>;
}): RequestLogOfObjects => requestLogOfObjects(objectsOf(env.LEDGER, env).ofAccount);

type Recording = Pick<RequestLogOfObjects, "append"> &
  Pick<AppContext, "now" | "logError"> & { bounds: RequestLogBounds };

/**
 * Returns what records the calls of a Worker; null if the request log is off. The platform may end an isolate at any time: the requests
 * that it holds are then lost uncounted.
 */
export function recordCalls({ bounds, append, now, logError }: Recording): AppContext["record"] {
  if (bounds.keptDays === 0) return null;
  let cause: unknown = "Too many requests wait for the objects of their accounts";
  const writeOne = (chunk: RequestChunk): Promise<Handed> =>
    append(chunk).then(
      () => "logged",
      (error) => {
        cause = error;
        return error instanceof NotCarriedOut ? "again" : "lost";
      },
    );
  const recorder = createRequestRecorder({
    write: (chunks) => Promise.all(chunks.map(writeOne)),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...{ waitUntil, elapsed: now, bounds: WORKER_RECORDER },
    onLost: (count) =>
      logError(`Calls that will be missing from the request log: ${count}`, { cause }),
  });
  return (context, status, durationMs) => {
    const entry = accessLogEntry(context, status, durationMs, true);
    const logged = requestLogEntry(entry, context, byteLength);
    if (logged !== null) recorder.record(logged.account, logged.entry);
  };
}

const utf8 = new TextEncoder();
/** Large responses are sent in pieces and know their length. */
const byteLength = (text: string) => utf8.encode(text).byteLength;

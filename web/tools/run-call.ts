import { TOOL_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { CallBody } from "./call-plan.ts";
import {
  type CallContext,
  type CallResponse,
  respondToCall,
  toolContextOf,
} from "./respond-to-call.ts";

/** A call as plain data that can be posted to a worker. */
export type CallOrder = {
  tool: string;
  call: CallBody;
  receivedAt: number;
  callContext: CallContext;
};

export type WorkerReport = { response: CallResponse } | { failure: string };

/** Larger calls run in a worker; slow tools set a lower limit of their own. */
const WORKER_FROM_BYTES = 16 * 1024;

export type Runner = {
  /** Runs one call at a time. A call that is still running is cancelled, and its promise never settles. */
  run(call: CallBody, callContext: CallContext): Promise<CallResponse>;
  /** Cancels the running call. */
  cancel(): void;
  /** Cancels the running call and ends the worker. The next call starts a new one. */
  close(): void;
};

export function createRunner(tool: Tool<unknown>): Runner {
  const worker = createToolWorker();

  function run(call: CallBody, callContext: CallContext): Promise<CallResponse> {
    worker.cancel();
    const receivedAt = Date.now();
    return call.body.byteLength < Math.min(tool.heavyFromBytes, WORKER_FROM_BYTES)
      ? respondToCall(tool, call, toolContextOf(receivedAt), callContext)
      : worker.run({ tool: tool.name, call, receivedAt, callContext });
  }

  return { run, cancel: worker.cancel, close: worker.end };
}

/** The worker stays alive while it is idle, because starting one costs more than most calls. Cancelling a call ends it. */
function createToolWorker() {
  let worker: Worker | null = null;
  let busy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    worker?.terminate();
    worker = null;
    settle();
  }

  function settle(): void {
    busy = false;
    clearTimeout(timer);
  }

  function run(order: CallOrder): Promise<CallResponse> {
    worker ??= openWorker();
    const running = worker;
    busy = true;
    return new Promise((resolve, reject) => {
      timer = setTimeout(() => {
        end();
        reject(new Error(TOO_SLOW));
      }, TOOL_TIMEOUT_MS);
      running.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
        settle();
        if ("response" in data) resolve(data.response);
        else reject(new Error(data.failure));
      };
      running.onerror = () => {
        end();
        reject(new Error(NOT_LOADED));
      };
      running.postMessage(order);
    });
  }

  return { run, end, cancel: () => busy && end() };
}

const TOO_SLOW = `This took longer than ${TOOL_TIMEOUT_MS / 1000} seconds and was stopped. Try a shorter input.`;
const NOT_LOADED = "Part of this page could not be loaded. Check your connection, then try again.";

/** The bundler recognizes a worker only in this exact form. */
const openWorker = () =>
  new Worker(new URL("./tool-worker.ts", import.meta.url), { type: "module", name: "tool" });

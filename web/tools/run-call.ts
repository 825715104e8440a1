import { TOOL_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { type CallContext, type CallResponse, respondToCall } from "./respond-to-call.ts";
import { toolContextOf } from "./tool-context.ts";

/** A call as plain data: it crosses to a worker as it is. */
export type CallOrder = { tool: string; body: Uint8Array; receivedAt: number; place: CallContext };

export type WorkerReport = { response: CallResponse } | { failure: string };

/** From this size on a call runs in a worker, and earlier where the tool is slow for its size. */
const WORKER_FROM_BYTES = 16 * 1024;

export type Runner = {
  /** One call at a time: a call that is still running is given up, and its promise stays open for ever. */
  run(body: Uint8Array, place: CallContext): Promise<CallResponse>;
  /** Gives up the running call. */
  cancel(): void;
  /** Gives up everything, for the time being. */
  close(): void;
};

export function createRunner(tool: Tool<unknown>): Runner {
  const worker = createToolWorker();

  function run(body: Uint8Array, place: CallContext): Promise<CallResponse> {
    worker.cancel();
    const receivedAt = Date.now();
    return body.byteLength < Math.min(tool.heavyFromBytes, WORKER_FROM_BYTES)
      ? respondToCall(tool, body, toolContextOf(receivedAt), place)
      : worker.run({ tool: tool.name, body, receivedAt, place });
  }

  return { run, cancel: worker.cancel, close: worker.end };
}

/** Kept while it is idle, as starting one costs more than most calls; ended where its call is given up. */
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
const NOT_LOADED =
  "A part of this page could not be loaded. Check your connection, then try again.";

/** Written in full, so that the bundler sees that it is a file of its own. */
const openWorker = () =>
  new Worker(new URL("./tool-worker.ts", import.meta.url), { type: "module", name: "tool" });

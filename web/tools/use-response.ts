import { useEffect, useRef, useState } from "react";
import type { Tool } from "#tools/define-tool.ts";
import type { CallBody } from "./call-plan.ts";
import type { CallContext } from "./respond-to-call.ts";
import { createRunner, type Runner } from "./run-call.ts";
import { type ApiRequest, createCallKeys, type SentResponse, sendCall } from "./send-call.ts";

/** Short enough to feel immediate, long enough not to run on every keystroke of a fast typist. */
const WAIT_MS = 80;
/** For large inputs, whose call and result take longer to prepare and to show. */
const LARGE_WAIT_MS = 300;
const LARGE_BYTES = 64 * 1024;
/** Avoids a spinner that only flashes. */
const SLOW_MS = 250;

/** A response as the page shows it. */
export type ShownResponse = {
  source: "browser" | "api";
  status: number;
  /** The body as the API sent it; null for one that was computed here. */
  bytes: Uint8Array<ArrayBuffer> | null;
  /** Its text; empty if it is no text. */
  body: string;
  isText: boolean;
  /** The headers of a response of the API; empty for one that was computed here. */
  headers: readonly (readonly [name: string, value: string])[];
  /** From the start of the call to the end of its response, in milliseconds. */
  tookMs: number;
  /** The call that it responds to. */
  call: CallBody;
};

export type ResponseState = {
  /** The last response, or null before the first. It stays while the next call runs. */
  response: ShownResponse | null;
  /** The current call has been running for longer than `SLOW_MS`. */
  slow: boolean;
  /** A call to the API is under way. */
  sending: boolean;
  error: Error | null;
};

const INITIAL: ResponseState = { response: null, slow: false, sending: false, error: null };

export type Order = {
  /** Null: there is nothing to run. */
  call: CallBody | null;
  /** Increased to run the same call again. */
  run: number;
  /** Runs on every change; otherwise only when `run` increases. */
  live: boolean;
};

/** Runs the tool in this page, each time the call or `run` changes. The newest call wins. */
export function useLocalResponse(
  tool: Tool<unknown>,
  { call, run, live }: Order,
  callContext: CallContext,
): ResponseState {
  const [state, setState] = useState(INITIAL);
  const runner = useRef<Runner>(null);
  runner.current ??= createRunner(tool);
  // In a ref, because a change of the API's URL alone does not run the tool again.
  const latestContext = useRef(callContext);
  latestContext.current = callContext;
  const lastRun = useRef(run);

  useEffect(() => {
    const isRequested = lastRun.current !== run;
    lastRun.current = run;
    if (call === null) {
      setState(INITIAL);
      return;
    }
    if (!live && !isRequested) return;
    let isCancelled = false;
    const set = (change: Partial<ResponseState>) =>
      !isCancelled && setState((before) => ({ ...before, ...change }));
    const begin = () => {
      const started = performance.now();
      const slow = setTimeout(() => set({ slow: true }), SLOW_MS);
      (runner.current as Runner)
        .run(call, latestContext.current)
        .then(
          ({ status, body }) => {
            const tookMs = performance.now() - started;
            const response: ShownResponse = {
              ...{ source: "browser", status, bytes: null, body, isText: true },
              ...{ headers: [], tookMs, call },
            };
            set({ response, error: null, slow: false });
          },
          (error: Error) => set({ error, slow: false }),
        )
        .finally(() => clearTimeout(slow));
    };
    const wait = call.body.byteLength < LARGE_BYTES ? WAIT_MS : LARGE_WAIT_MS;
    const start = setTimeout(begin, isRequested ? 0 : wait);
    return () => {
      isCancelled = true;
      clearTimeout(start);
      runner.current?.cancel();
    };
  }, [call, run, live]);

  useEffect(() => () => runner.current?.close(), []);
  return state;
}

/** What a call costs, as the API has said. */
export type Quote = { call: CallBody; credits: number };

type ApiOrder = Omit<ApiRequest, "idempotencyKey"> & { effect: Tool["effect"] };

/** Sends calls to the API, only when asked to, and one at a time. `quote`: the last price that was asked for. */
export function useApiResponse(): ResponseState & {
  quote: Quote | null;
  send(order: ApiOrder): void;
  cancel(): void;
} {
  const [state, setState] = useState(INITIAL);
  const [quote, setQuote] = useState<Quote | null>(null);
  const current = useRef<AbortController | null>(null);
  const [keys] = useState(createCallKeys);
  useEffect(() => () => current.current?.abort(), []);

  async function send({ effect, ...request }: ApiOrder) {
    // A double click, or a key that is held, would send the call again, and the API charges each.
    if (current.current !== null) return;
    const controller = new AbortController();
    current.current = controller;
    const set = (change: Partial<ResponseState>) =>
      current.current === controller && setState((before) => ({ ...before, ...change }));
    set({ sending: true, error: null });
    const slow = setTimeout(() => set({ slow: true }), SLOW_MS);
    try {
      const { call, isQuote = false } = request;
      const isAct = effect === "act" && !isQuote;
      const named = isAct ? { ...request, idempotencyKey: keys.keyOf(call) } : request;
      const sent: SentResponse = await sendCall(named, controller.signal);
      if (isAct) keys.end(sent);
      if (isQuote && sent.status === 200) {
        if (current.current === controller)
          setQuote({ call, credits: JSON.parse(sent.body).credits });
        set({ error: null });
      } else set({ response: { source: "api", ...sent, call }, error: null });
    } catch (error) {
      set({ error: error as Error });
    } finally {
      clearTimeout(slow);
      set({ sending: false, slow: false });
      if (current.current === controller) current.current = null;
    }
  }

  function cancel() {
    current.current?.abort();
    current.current = null;
    setState((before) => ({ ...before, sending: false, slow: false }));
  }

  return { ...state, quote, send: (order) => void send(order), cancel };
}

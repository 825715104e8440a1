import { useEffect, useState } from "react";
import type { Digests } from "./hash-stream.ts";
import type { HashReport } from "./hash-worker.ts";

export type DigestState =
  | { kind: "none" }
  | { kind: "running"; bytes: number; startedAt: number; cancel(): void }
  | { kind: "done"; digests: Digests }
  | { kind: "cancelled"; again(): void }
  | { kind: "failed"; message: string; again(): void };

/** A text is hashed after a pause in typing; a file at once. */
const TEXT_WAIT_MS = 150;

/** Hashes a blob in a worker, whatever its size. A new blob ends the work on the one before. */
export function useDigests(blob: Blob | null): DigestState {
  const [state, setState] = useState<DigestState>({ kind: "none" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (blob === null) {
      setState({ kind: "none" });
      return;
    }
    let worker: Worker | null = null;
    const end = () => worker?.terminate();
    const again = () => setAttempt((count) => count + 1);
    const start = () => {
      const startedAt = Date.now();
      const running = (bytes: number): DigestState => ({
        ...{ kind: "running", bytes, startedAt },
        cancel() {
          end();
          setState({ kind: "cancelled", again });
        },
      });
      const fail = (message: string) => {
        end();
        setState({ kind: "failed", message, again });
      };
      worker = openWorker();
      worker.onerror = () => fail(NOT_LOADED);
      worker.onmessage = ({ data }: MessageEvent<HashReport>) => {
        if ("progress" in data) return setState(running(data.progress));
        if ("failure" in data) return fail(UNREADABLE);
        end();
        setState({ kind: "done", digests: data.digests });
      };
      worker.postMessage(blob);
      if (blob instanceof File) setState(running(0));
    };
    const timer = setTimeout(start, blob instanceof File ? 0 : TEXT_WAIT_MS);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [blob, attempt]);
  return state;
}

const UNREADABLE = "The file could not be read to its end. It may have been changed or removed.";
const NOT_LOADED = "Part of this page could not be loaded. Check your connection, then try again.";

/** The bundler recognizes a worker only in this exact form. */
const openWorker = () =>
  new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module", name: "hash" });

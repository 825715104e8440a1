import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Trial } from "./hostile-trial.ts";

/**
 * Runs trials in a separate process. If a trial takes too long, the process is killed, the document's name is reported,
 * and a new process runs the rest. The process has half of Node's default stack, because other runtimes have smaller
 * stacks.
 */
const EXEC_ARGV = ["--expose-gc", "--stack-size=492", "--max-old-space-size=2048"];

type Ordinary = { readonly html: number; readonly text: number };
type ApiResponse = { trial: Trial } | { ordinary: Ordinary };
type Settings = { readonly engine: string; readonly trialMsMax: number };

export type Run = { readonly trials: readonly Trial[]; readonly ordinary: Ordinary };

export async function runTrials(names: readonly string[], settings: Settings): Promise<Run> {
  const trials: Trial[] = [];
  let child: ChildProcess | undefined;
  let ordinary: Ordinary | undefined;
  try {
    for (const name of names) {
      if (child === undefined) {
        child = fork(path.join(import.meta.dirname, "hostile-child.ts"), [enginePath(settings)], {
          execArgv: EXEC_ARGV,
        });
        const ready = await responseOf(child, 60_000);
        if (typeof ready === "string") throw new Error(`the ordinary document: ${ready}`);
        if ("ordinary" in ready) ordinary ??= ready.ordinary;
      }
      child.send(name);
      const response = await responseOf(child, settings.trialMsMax);
      if (typeof response !== "string" && "trial" in response) trials.push(response.trial);
      else {
        const why = typeof response === "string" ? response : "no trial";
        trials.push({ name, times: Infinity, failures: [{ rule: "hangs", by: Infinity, why }] });
        await end(child);
        child = undefined;
      }
    }
  } finally {
    if (child !== undefined) await end(child);
  }
  if (ordinary === undefined) throw new Error("nothing was tried");
  return { trials, ordinary };
}

const enginePath = ({ engine }: Settings) => fileURLToPath(import.meta.resolve(engine));

/** The child's next message, or the reason for which there is none. */
async function responseOf(child: ChildProcess, msMax: number): Promise<ApiResponse | string> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as ApiResponse),
      once(child, "exit", { signal }).then(
        ([code, name]) => `the process ended with ${name ?? code}`,
      ),
      new Promise<string>((resolve) => {
        const timer = setTimeout(resolve, msMax, `not done in ${msMax} ms`);
        signal.addEventListener("abort", () => clearTimeout(timer));
      }),
    ]);
  } finally {
    waiting.abort();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

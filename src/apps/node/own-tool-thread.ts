import { openAsBlob } from "node:fs";
import { createRequire, type LoadFnOutput, registerHooks } from "node:module";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import { describeOwnTool, type ToolDescription } from "#api/openapi/tool-description.ts";
import { describeThrown } from "#calls/call-errors.ts";
import {
  type PreparedCall,
  type Sources as RunSources,
  runTool,
  type ToolJob,
  type ToolResponse,
} from "#calls/run-tool.ts";
import type { ReceivedFile } from "#calls/stored-file.ts";
import { ApiError } from "#errors.ts";
import type { Tool, UploadedFile } from "#tools/define-tool.ts";
import { definitionsIn, nameFault, ownTool } from "#tools/own-tool.ts";
import { secretsOf } from "#tools/own-tool-context.ts";
import { explainToolFile } from "./explain-tool-file.ts";
import { lowerPriority } from "./low-priority.ts";
import { digest, random } from "./runtime.ts";
import { openToolFetch } from "./tool-fetch.ts";
import type { ThreadFault } from "./tool-thread.ts";

/**
 * A thread with the code of own tools, which is loaded nowhere else: as its first message says, it describes the tools of all files, or
 * serves the calls of one. What a tool throws, leaks or breaks stays in its thread.
 */
if (parentPort === null) throw new Error("This file must be started as a worker thread");
const port = parentPort;

/** A file of the folder, and the name that it gives its tool. */
export type FoundFile = { name: string; file: string };
/** A tool that has been read: its file, and the settings that it needs. */
export type ToolFile = FoundFile & { secrets: readonly string[]; sources: Sources };
/**
 * The project's files that the tools have loaded, by their URLs, as they were read: a thread that starts later runs the same. Null for what
 * Node reads by itself.
 */
export type Sources = ReadonlyMap<string, Kept | null>;
type Kept = { format: string; source: string | Uint8Array };
/** The first message. */
export type OwnThreadOrder =
  | { kind: "describe"; files: readonly FoundFile[]; folder: string }
  | { kind: "serve"; file: ToolFile };

export type FromDescribing =
  | { kind: "reading"; file: FoundFile }
  | { kind: "described"; tools: DescribedTool[]; faults: string[]; sources: Sources };
export type DescribedTool = Omit<ToolFile, "sources"> & { description: ToolDescription };

/**
 * To a thread that serves: a call by its number, and for one that is paid before it runs, how that ended. `abort`: the call's time is
 * over.
 */
export type ToServing =
  | { kind: "call"; call: number; job: ToolJob }
  | { kind: "go"; call: number; callId: string }
  | { kind: "stop"; call: number }
  | { kind: "abort"; call: number };

export type FromServing =
  | { kind: "ready" }
  /** The tool has been told that the time of a call is over. */
  | { kind: "aborted" }
  /** A line for the log. */
  | { kind: "log"; message: string; callId: string }
  | ({ call: number } & FromCall);

export type FromCall =
  /** The input of a call that is paid before it runs has been checked. */
  | { kind: "prepared"; prepared: PreparedCall }
  | { kind: "response"; response: ToolResponse }
  /** The input is wrong, or the service behind the tool has failed: `cause` is for the log. */
  | { kind: "fault"; fault: ThreadFault; cause: string | null }
  /** The tool is. */
  | { kind: "failed"; cause: string };

/** Tools are modules, and so is the TypeScript that they import, whatever `npm init` has written to `package.json` as `type`. */
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return /^file:.*\.ts$/.test(found.url) ? { ...found, format: "module-typescript" } : found;
  },
});

/** Has the files as they were read when the tools were described, whatever has become of them since. */
function keep(sources: Sources): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = URL.parse(specifier, context.parentURL)?.href ?? "";
      const kept = sources.get(url);
      return kept == null
        ? next(specifier, context)
        : { url, format: kept.format, shortCircuit: true };
    },
    load(url, context, next) {
      const kept = sources.get(url);
      return kept == null ? next(url, context) : { ...kept, shortCircuit: true };
    },
  });
}

const load = async ({ name, file }: FoundFile): Promise<Record<string, unknown>> => {
  const { default: exported } = (await import(pathToFileURL(file).href)) as { default: unknown };
  return definitionsIn(name, exported);
};

/** What nearly every tool imports takes longer to load than the tools. A thread that waits for its order has it. */
async function loadPackage(): Promise<void> {
  try {
    const file = createRequire(path.resolve("package.json")).resolve("toolbooth");
    await import(pathToFileURL(file).href);
  } catch {
    // A tool that imports it says what is wrong.
  }
}

async function describe(files: readonly FoundFile[], folder: string): Promise<void> {
  const sources = new Map<string, Kept | null>();
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url.startsWith("file:") && !url.includes("/node_modules/"))
        sources.set(url, keepable(loaded));
      return loaded;
    },
  });
  const tools: DescribedTool[] = [];
  const faults: string[] = [];
  for (const file of files) {
    port.postMessage({ kind: "reading", file } satisfies FromDescribing);
    try {
      for (const [name, definition] of Object.entries(await load(file))) {
        const fault = name === file.name ? undefined : nameFault(name);
        if (fault !== undefined) throw new TypeError(`${name}: ${fault}`);
        const other = tools.find((each) => each.name === name);
        if (other !== undefined)
          throw new TypeError(`${path.basename(other.file)} has a tool of the same name, ${name}`);
        const tool = ownTool(name, definition);
        const { secrets = [] } = tool;
        const described = { ...file, name, secrets, description: describeOwnTool(tool) };
        // A description must be data: its thread ends.
        tools.push(structuredClone(described));
      }
    } catch (error) {
      faults.push(...explainToolFile(error, file.file, folder));
    }
  }
  port.postMessage({
    ...{ kind: "described", tools, faults, sources },
  } satisfies FromDescribing);
}

/** CommonJS requires other files in ways of its own, so Node reads it again. */
const keepable = ({ format, source }: LoadFnOutput): Kept | null =>
  source == null || format == null || format.startsWith("commonjs")
    ? null
    : { format, source: typeof source === "string" ? source : bytesOf(source) };
const bytesOf = (source: Exclude<LoadFnOutput["source"], string | undefined>) =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);

/** Reads nothing until the tool does. */
const openFile = async ({ path: file, type }: ReceivedFile): Promise<UploadedFile> =>
  Object.assign(await openAsBlob(file, { type }), { path: file });

async function serve(file: ToolFile): Promise<void> {
  lowerPriority();
  keep(file.sources);
  const tool = ownTool(file.name, (await load(file))[file.name]);
  const say = (message: FromServing) => port.postMessage(message);
  const secrets = secretsOf(file.secrets, process.env);
  const sendOfTool = openToolFetch(tool.hosts);
  const log = (message: string, callId: string) => say({ kind: "log", message, callId });
  /** The calls that are running. */
  const running = new Map<
    number,
    { paid: PromiseWithResolvers<string>; ending: AbortController }
  >();

  async function run(call: number, job: ToolJob): Promise<void> {
    const [paid, ending] = [Promise.withResolvers<string>(), new AbortController()];
    running.set(call, { paid, ending });
    const own = { signal: ending.signal, secrets, fetch: sendOfTool, log, openFile };
    const begin = (prepared: PreparedCall) => {
      say({ kind: "prepared", call, prepared });
      return paid.promise;
    };
    const more = tool.effect === "none" ? { own } : { own, begin };
    try {
      say({ call, ...(await respond(tool, job, more)) });
    } catch (cause) {
      if (!(cause instanceof Stopped)) say({ kind: "failed", call, cause: describeThrown(cause) });
    } finally {
      running.delete(call);
    }
  }

  port.on("message", (message: ToServing) => {
    const { kind, call } = message;
    if (kind === "call") void run(call, message.job);
    else if (kind === "go") running.get(call)?.paid.resolve(message.callId);
    else if (kind === "stop") running.get(call)?.paid.reject(new Stopped());
    else {
      running.get(call)?.ending.abort();
      say({ kind: "aborted" });
    }
  });
  say({ kind: "ready" });
}

/** Characters. Such a text costs less as it is than as bytes. */
const SHORT_TEXT = 16 * 1024;

/** The call was not paid, so the tool does not run. */
class Stopped extends Error {}

async function respond(
  tool: Tool,
  job: ToolJob,
  call: Pick<RunSources, "own" | "begin">,
): Promise<FromCall> {
  let result: ToolResponse;
  try {
    result = await runTool(tool, job, { random, digest, ...call });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { cause, ...details } = error.details;
    const fault = { code: error.code, message: error.message, details };
    return { kind: "fault", fault, cause: typeof cause === "string" ? cause : null };
  }
  const { body: made, ...rest } = result;
  // A short text leaves the server together with the head of its response; a long one is made into bytes here rather than there.
  const body =
    typeof made === "string" && made.length > SHORT_TEXT ? new TextEncoder().encode(made) : made;
  // A rejection that nobody handles ends the thread at the end of this turn, and with it this call.
  await nextTurn();
  return { kind: "response", response: { ...rest, body } };
}

port.once("message", (order: OwnThreadOrder) => {
  void (order.kind === "serve" ? serve(order.file) : describe(order.files, order.folder));
});
void loadPackage();

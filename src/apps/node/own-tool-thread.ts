import { openAsBlob } from "node:fs";
import { createRequire, type LoadFnOutput, registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import { describeOwnTool, type ToolDescription } from "#api/openapi/tool-description.ts";
import type { PreparedCall, ToolJob } from "#calls/run-tool.ts";
import type { ReceivedFile } from "#calls/stored-file.ts";
import { DEFINED, type Tool, type UploadedFile } from "#tools/define-tool.ts";
import { definitionsIn, nameFault, ownTool } from "#tools/own-tool.ts";
import { secretsOf } from "#tools/own-tool-context.ts";
import { explainToolFile } from "./explain-tool-file.ts";
import { lowerPriority } from "./low-priority.ts";
import { digest, random } from "./runtime.ts";
import { type FromServing, respond, type ToServing } from "./serve-calls.ts";
import { openToolFetch } from "./tool-fetch.ts";

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
      const isOfProject = url.startsWith("file:") && !url.includes("/node_modules/");
      // Also of a file that cannot be read, for `toolbooth dev`.
      if (isOfProject) sources.set(url, null);
      const loaded = next(url, context);
      if (isOfProject) sources.set(url, keepable(loaded));
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
        const description = describeAt(tool, definition);
        const described = { ...file, name, secrets, description };
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

/** What is wrong with the schemas of a tool is wrong where it is defined. */
function describeAt(tool: Tool, definition: unknown): ToolDescription {
  try {
    return describeOwnTool(tool);
  } catch (error) {
    const { stack } = (definition as { [DEFINED]: Error })[DEFINED];
    throw Object.assign(error as Error, { stack });
  }
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
    say({ call, ...(await respond(tool, job, { random, digest, ...more })) });
    running.delete(call);
  }

  port.on("message", (message: ToServing) => {
    const { kind, call } = message;
    if (kind === "call") void run(call, message.job);
    else if (kind === "go") running.get(call)?.paid.resolve(message.callId);
    else if (kind === "stop") running.get(call)?.paid.reject(new Error("It is not paid"));
    else {
      running.get(call)?.ending.abort();
      say({ kind: "aborted" });
    }
  });
  say({ kind: "ready" });
}

port.once("message", (order: OwnThreadOrder) => {
  void (order.kind === "serve" ? serve(order.file) : describe(order.files, order.folder));
});
void loadPackage();

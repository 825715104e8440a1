import { hash, randomBytes } from "node:crypto";
import { createRequire, registerHooks } from "node:module";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import { describeOwnTool, type ToolDescription } from "#api/openapi/tool-description.ts";
import { runTool, type ToolJob, type ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import { OWN_RESPONSE_BYTES_MAX } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { explainToolFile } from "./explain-tool-file.ts";
import { lowerPriority } from "./low-priority.ts";
import type { ThreadFault } from "./tool-thread.ts";

/**
 * A thread with the code of own tools, which is loaded nowhere else: as its first message says, it describes the tools of all files, or
 * serves the calls of one. What a tool throws, leaks or breaks stays in its thread.
 */
if (parentPort === null) throw new Error("This file must be started as a worker thread");
const port = parentPort;

/** A file of the folder, and the name that it gives its tool. */
export type ToolFile = { name: string; file: string };
/** The first message. */
export type OwnThreadOrder =
  | { kind: "describe"; files: readonly ToolFile[]; folder: string }
  | { kind: "serve"; file: ToolFile };

export type FromDescribing =
  | { kind: "reading"; file: ToolFile }
  /** `imports`: the project's files that the tools have loaded. */
  | { kind: "described"; tools: ToolDescription[]; faults: string[]; imports: string[] };

export type FromServing =
  | { kind: "ready" }
  | { kind: "response"; response: ToolResponse }
  /** The input is wrong. */
  | { kind: "fault"; fault: ThreadFault }
  /** The tool is. */
  | { kind: "failed"; cause: string };

/** Tools are modules, and so is the TypeScript that they import, whatever `npm init` has written to `package.json` as `type`. */
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return /^file:.*\.ts$/.test(found.url) ? { ...found, format: "module-typescript" } : found;
  },
});

const load = async ({ name, file }: ToolFile): Promise<Tool> => {
  const { default: exported } = (await import(pathToFileURL(file).href)) as { default: unknown };
  return ownTool(name, exported);
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

async function describe(files: readonly ToolFile[], folder: string): Promise<void> {
  const imports = new Set<string>();
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:") && !url.includes("/node_modules/"))
        imports.add(fileURLToPath(url));
      return next(url, context);
    },
  });
  const tools: ToolDescription[] = [];
  const faults: string[] = [];
  for (const file of files) {
    port.postMessage({ kind: "reading", file } satisfies FromDescribing);
    try {
      const described = describeOwnTool(await load(file));
      // A description must be data: its thread ends.
      tools.push(structuredClone(described));
    } catch (error) {
      faults.push(...explainToolFile(error, file.file, folder));
    }
  }
  port.postMessage({
    ...{ kind: "described", tools, faults, imports: [...imports] },
  } satisfies FromDescribing);
}

const sources = {
  random: (count: number) => new Uint8Array(randomBytes(count)),
  digest: (algorithm: string, bytes: Uint8Array) => hash(algorithm, bytes, "buffer"),
};

async function serve(file: ToolFile): Promise<void> {
  lowerPriority();
  const tool = await load(file);
  const say = (message: FromServing, transfer: ArrayBuffer[] = []) =>
    port.postMessage(message, transfer);
  port.on("message", (job: ToolJob) => {
    respond(tool, job).then(say, (cause) => say({ kind: "failed", cause: describeCause(cause) }));
  });
  say({ kind: "ready" });
}

async function respond(tool: Tool, job: ToolJob): Promise<FromServing> {
  let made: ToolResponse;
  try {
    made = await runTool(tool, job, sources);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { cause: _, ...details } = error.details;
    return { kind: "fault", fault: { code: error.code, message: error.message, details } };
  }
  const { body, type, fingerprint } = made;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (bytes.byteLength > OWN_RESPONSE_BYTES_MAX)
    throw new RangeError(
      `the response has ${bytes.byteLength} bytes; the limit is ${OWN_RESPONSE_BYTES_MAX}`,
    );
  // A rejection that nobody handles ends the thread at the end of this turn, and with it this call.
  await nextTurn();
  return { kind: "response", response: { body: bytes, type, fingerprint } };
}

/** Anything can be thrown. */
const describeCause = (cause: unknown): string =>
  cause instanceof Error ? (cause.stack ?? cause.message) : `threw ${String(cause)}`;

port.once("message", (order: OwnThreadOrder) => {
  void (order.kind === "serve" ? serve(order.file) : describe(order.files, order.folder));
});
void loadPackage();

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { toolOfDescription } from "#api/openapi/tool-description.ts";
import { OWN_LOAD_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { nearestName } from "#tools/nearest-name.ts";
import { nameFault } from "#tools/own-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import type { FromDescribing, OwnThreadOrder, Sources, ToolFile } from "./own-tool-thread.ts";
import { startOwnThread } from "./own-tool-threads.ts";

/** The tools that a server offers: those of the folder `tools/` of the working directory, then those that come with Toolbooth. */
export type ServedTools = {
  tools: readonly Tool[];
  /** The files of the own tools, as they were read. */
  files: readonly ToolFile[];
  /** The project's files that the tools have loaded. */
  imports: readonly string[];
  /** What the operator should know at a start, each a sentence. */
  messages: string[];
};

/** Tools cannot be served. The message has a line for each reason. */
export class ToolsError extends Error {}

export const TOOLS_FOLDER = "tools";

/**
 * `builtIn`: the names of the tools that come with Toolbooth and are offered; null for all. `startThread`: starts the thread that reads the
 * files, or returns one that waits for it. Throws a `ToolsError`.
 */
export async function loadTools(
  builtIn: readonly string[] | null,
  folder: string = path.resolve(TOOLS_FOLDER),
  startThread: () => Worker = startOwnThread,
): Promise<ServedTools> {
  const { files, faults } = findToolFiles(folder);
  faults.push(...unknownNames(builtIn));
  const own = files.length === 0 ? NO_OWN : await describe(startThread(), files, folder);
  faults.push(...own.faults);
  if (faults.length > 0) throw new ToolsError(faults.join("\n"));
  const names = new Set(own.tools.map(({ name }) => name));
  const offered = TOOLS.filter(({ name }) => builtIn === null || builtIn.includes(name));
  const tools = [...own.tools, ...offered.filter(({ name }) => !names.has(name))];
  if (tools.length === 0) throw new ToolsError(NO_TOOLS);
  const messages = offered
    .filter(({ name }) => names.has(name))
    .map(({ name }) => {
      const { file } = files.find((each) => each.name === name) as ToolFile;
      return `${path.join(TOOLS_FOLDER, path.basename(file))} replaces the tool ${name} that comes with Toolbooth.`;
    });
  const { sources } = own;
  const imports = [...sources.keys()].map((url) => fileURLToPath(url));
  return { tools, files: files.map((file) => ({ ...file, sources })), imports, messages };
}

type Described = { tools: Tool[]; faults: string[]; sources: Sources };
const NO_OWN: Described = { tools: [], faults: [], sources: new Map() };

const NO_TOOLS = `There are no tools to serve: the folder ${TOOLS_FOLDER}/ has none, and TOOLBOOTH_BUILT_IN_TOOLS switches off those that come with Toolbooth.`;

function unknownNames(builtIn: readonly string[] | null): string[] {
  const known = TOOLS.map(({ name }) => name);
  return (builtIn ?? [])
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const advice =
        nearest === undefined ? `it knows ${known.join(", ")}` : `did you mean ${nearest}?`;
      return `TOOLBOOTH_BUILT_IN_TOOLS: no tool called ${name} comes with Toolbooth; ${advice}`;
    });
}

/** Other files, and those of tests, are for the author. */
const TOOL_FILE = /^(?!_)(.+)\.(?:ts|js|mjs)$/;
const NO_TOOL = /\.(?:test|d)\.\w+$/;

/** The files that are tools, in the order of their names. */
export function findToolFiles(folder: string): { files: ToolFile[]; faults: string[] } {
  const files: ToolFile[] = [];
  const faults: string[] = [];
  if (!existsSync(folder)) return { files, faults };
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !NO_TOOL.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  for (const fileName of names) {
    const [, name] = TOOL_FILE.exec(fileName) ?? [];
    if (name === undefined) continue;
    const shown = path.join(TOOLS_FOLDER, fileName);
    const fault = nameFault(name);
    const other = files.find((each) => each.name === name);
    if (fault !== undefined) faults.push(`${shown}: ${fault}`);
    else if (other !== undefined)
      faults.push(
        `${shown}: ${path.basename(other.file)} is a tool of the same name; rename one of them`,
      );
    else files.push({ name, file: path.join(folder, fileName) });
  }
  return { files, faults };
}

async function describe(
  reader: Worker,
  files: readonly ToolFile[],
  folder: string,
): Promise<Described> {
  let reading: ToolFile | undefined;
  const read = Promise.withResolvers<Extract<FromDescribing, { kind: "described" }>>();
  const fail = (reason: string) => {
    const file = reading === undefined ? "" : path.basename(reading.file);
    read.reject(new ToolsError(`${path.join(TOOLS_FOLDER, file)}: ${reason}`));
  };
  const late = setTimeout(
    () => fail(`reading it takes more than ${OWN_LOAD_TIMEOUT_MS / 1_000} s`),
    OWN_LOAD_TIMEOUT_MS,
  );
  reader.on("message", (message: FromDescribing) => {
    if (message.kind === "reading") reading = message.file;
    else read.resolve(message);
  });
  reader.on("error", (error) => fail(`reading it failed: ${messageOf(error)}`));
  reader.on("exit", () =>
    fail("its code ended the thread that was reading it, as `process.exit` does"),
  );
  reader.postMessage({ kind: "describe", files, folder } satisfies OwnThreadOrder);
  try {
    const { tools, ...rest } = await read.promise;
    return { tools: tools.map(toolOfDescription), ...rest };
  } finally {
    clearTimeout(late);
    // Nobody waits for its end: what it has loaded goes with it.
    void reader.terminate();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

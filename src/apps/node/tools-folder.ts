import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { toolOfDescription } from "#api/openapi/tool-description.ts";
import { namesOf } from "#api/openapi/tool-schemas.ts";
import { OWN_LOAD_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { nearestName } from "#tools/nearest-name.ts";
import { nameFault } from "#tools/own-tool.ts";
import { missingSecrets } from "#tools/own-tool-context.ts";
import { TOOLS } from "#tools/registry.ts";
import type { FoundFile, FromDescribing, OwnThreadOrder, ToolFile } from "./own-tool-thread.ts";
import { startOwnThread } from "./own-tool-threads.ts";

/** The tools that a server offers: those of the folder `tools/` of the working directory, then those that come with Toolbooth. */
export type ServedTools = {
  tools: readonly Tool[];
  /** The own tools' files, as they were read. */
  files: readonly ToolFile[];
  /** The project's files that the tools have loaded. */
  imports: readonly string[];
  /** What the operator should know at a start, each a sentence. */
  messages: string[];
};

/** Tools cannot be served. The message has a line for each reason. */
export class ToolsError extends Error {
  /** The project's files that were read, as far as they are known. */
  readonly imports: readonly string[];

  constructor(message: string, imports: readonly string[] = []) {
    super(message);
    this.imports = imports;
  }
}

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
  const { sources } = own;
  const imports = [...sources.keys()].map((url) => fileURLToPath(url));
  const names = new Set(own.tools.map(({ name }) => name));
  const offered = TOOLS.filter(({ name }) => builtIn === null || builtIn.includes(name));
  const tools = [...own.tools, ...offered.filter(({ name }) => !names.has(name))];
  faults.push(...sameOperations(tools, own.files));
  if (faults.length > 0) throw new ToolsError(faults.join("\n"), imports);
  if (tools.length === 0) throw new ToolsError(NO_TOOLS);
  const messages = offered
    .filter(({ name }) => names.has(name))
    .map(({ name }) => {
      const { file } = own.files.find((each) => each.name === name) as FoundFile;
      return `${path.join(TOOLS_FOLDER, path.basename(file))} replaces the built-in tool ${name}.`;
    });
  return { tools, files: own.files.map((file) => ({ ...file, sources })), imports, messages };
}

/** Throws a `ToolsError` that names every setting that a tool needs and `env` lacks. */
export function requireSecrets(
  { files }: Pick<ServedTools, "files">,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const missing = files.flatMap(({ file, name, secrets }) =>
    missingSecrets(secrets, env).map(
      (setting) =>
        `${path.join(TOOLS_FOLDER, path.basename(file))}: the tool ${name} needs the setting ${setting}, which is not set. Set it in the environment or in the file .env, and start the service again.`,
    ),
  );
  if (missing.length > 0) throw new ToolsError(missing.join("\n"));
}

type Described = Pick<Extract<FromDescribing, { kind: "described" }>, "faults" | "sources"> & {
  tools: Tool[];
  files: Omit<ToolFile, "sources">[];
};
const NO_OWN: Described = { tools: [], files: [], faults: [], sources: new Map() };

const NO_TOOLS = `There are no tools to serve: the folder ${TOOLS_FOLDER}/ has none, and TOOLBOOTH_BUILT_IN_TOOLS switches off the built-in ones.`;

function unknownNames(builtIn: readonly string[] | null): string[] {
  const known = TOOLS.map(({ name }) => name);
  return (builtIn ?? [])
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const advice =
        nearest === undefined
          ? `the built-in tools are ${known.join(", ")}`
          : `did you mean ${nearest}?`;
      return `TOOLBOOTH_BUILT_IN_TOOLS: there is no built-in tool called ${name}; ${advice}`;
    });
}

/** Two tools with one name in the description of the API would have one schema there. */
function sameOperations(tools: readonly Tool[], files: readonly FoundFile[]): string[] {
  return tools.flatMap((tool, at) => {
    const { operation, input } = namesOf(tool);
    const other = tools.slice(0, at).find((each) => namesOf(each).input === input);
    if (other === undefined) return [];
    // Own tools come first.
    const own = tool.isOwn === true ? tool : other;
    const theirs = own === tool ? other : tool;
    const { file } = files.find(({ name }) => name === own.name) as FoundFile;
    return [
      `${path.join(TOOLS_FOLDER, path.basename(file))}: the operation ${operation} of ${own.name} is also that of ${theirs.name}; give it another \`operation\``,
    ];
  });
}

/** Other files, and those of tests, are for the author. */
const TOOL_FILE = /^(?!_)(.+)\.(?:ts|js|mjs)$/;
const NO_TOOL = /\.(?:test|d)\.\w+$/;

/** The files that are tools, in the order of their names. */
function findToolFiles(folder: string): { files: FoundFile[]; faults: string[] } {
  const files: FoundFile[] = [];
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
  files: readonly FoundFile[],
  folder: string,
): Promise<Described> {
  let reading: FoundFile | undefined;
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
  let end = "its code ended the thread that was reading it, as `process.exit` does";
  reader.on("error", (error) => {
    end = `reading it failed: ${messageOf(error)}`;
  });
  // Only then has every message of the thread arrived, among them the name of the file: an error may overtake it.
  reader.on("exit", () => fail(end));
  reader.postMessage({ kind: "describe", files, folder } satisfies OwnThreadOrder);
  try {
    const { tools, faults, sources } = await read.promise;
    return {
      ...{ faults, sources },
      tools: tools.map(({ description }) => toolOfDescription(description)),
      files: tools.map(({ description: _, ...file }) => file),
    };
  } finally {
    clearTimeout(late);
    // Nobody waits for its end: what it has loaded goes with it.
    void reader.terminate();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

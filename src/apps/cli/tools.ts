import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { ToolResponse } from "#calls/run-tool.ts";
import { quotedCommand } from "#command-line.ts";
import { ApiError } from "#errors.ts";
import { requestOf } from "#site/first-call.ts";
import type { Tool } from "#tools/define-tool.ts";
import { isJsonType, mediaType } from "#tools/media-type.ts";
import { nameFault } from "#tools/own-tool.ts";
import { explainToolFile } from "../node/explain-tool-file.ts";
import type { ToolFile } from "../node/own-tool-thread.ts";
import { type OwnToolThreads, openOwnToolThreads } from "../node/own-tool-threads.ts";
import { loadTools, requireSecrets, TOOLS_FOLDER, ToolsError } from "../node/tools-folder.ts";
import { type Command, defineCommand } from "./command.ts";
import { CommandError, UsageError } from "./command-error.ts";

/** Commands for authors of tools. They work on the current folder, without a server. */

const CHECK = defineCommand({
  name: "check",
  summary: "Check the tools of the current folder",
  details: [
    "It reads every file in tools/ as the service does at the start, runs the examples of each tool and compares their responses, makes one call of each tool without examples, and checks the types if TypeScript is installed in the project. Nothing is charged. The exit code is 1 if anything is wrong.",
  ],
  example: "check",
  input: z.object({}),
  isOnFiles: () => true,
  async run({ config, log }) {
    const faults = findTypeFaults();
    const served = await loadTools(config.builtInTools)
      .then((loaded) => {
        requireSecrets(loaded, process.env);
        return loaded;
      })
      .catch((error) => {
        if (!(error instanceof ToolsError)) throw error;
        faults.push(...error.message.split("\n"));
        return null;
      });
    const own = served?.tools.filter(({ isOwn }) => isOwn) ?? [];
    const threads = openOwnToolThreads(served?.files ?? [], 1, {
      onFault: (name, cause) => log(`${name} ended its thread after a call: ${cause}`),
      onLog: (name, message) => log(`${name}: ${message}`),
    });
    const lines: string[] = [];
    try {
      for (const tool of own) {
        const found = await checkTool(tool, served?.files ?? [], threads);
        if (typeof found === "string") lines.push(`${tool.name}: ${found}`);
        else faults.push(...found);
      }
    } finally {
      await threads.close();
    }
    const isGood = faults.length === 0;
    if (isGood && own.length === 0) lines.push(`The folder ${TOOLS_FOLDER}/ has no tools.`);
    return {
      json: { ok: isGood, tools: own.map(({ name }) => name), faults },
      text: [...lines, ...faults].map((line) => `${line}\n`).join(""),
      exitCode: isGood ? 0 : 1,
    };
  },
});

/** What TypeScript says of the project; nothing if it is not installed there. */
function findTypeFaults(): string[] {
  if (!existsSync("tsconfig.json")) return [];
  let compiler: string;
  try {
    const file = createRequire(path.resolve("package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(file, "utf8")) as { bin: { tsc: string } };
    compiler = path.join(path.dirname(file), bin.tsc);
  } catch {
    return [];
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [compiler, "--noEmit", "--pretty", "false"],
    {
      encoding: "utf8",
    },
  );
  if (status === 0) return [];
  // A compiler that dies says why on standard error, if at all.
  return (stdout.trim() || stderr.trim() || "TypeScript failed without a message.").split("\n");
}

/** Returns what is wrong, or a sentence that says what is right. */
type Checked = string[] | string;

async function checkTool(
  tool: Tool,
  files: readonly ToolFile[],
  threads: OwnToolThreads,
): Promise<Checked> {
  // A check must not change the world.
  if (tool.file !== undefined)
    return "it is not called, because it takes a file: call `run` with one in its test.";
  if (tool.effect === "act") return 'it is not called, because its effect is "act".';
  return tool.examples.length === 0
    ? checkSample(tool, files, threads)
    : checkExamples(tool, threads);
}

async function checkExamples(tool: Tool, threads: OwnToolThreads): Promise<Checked> {
  const faults: string[] = [];
  for (const { name, request, response } of tool.examples) {
    const at = `${TOOLS_FOLDER}/${tool.name}, the example "${name}"`;
    try {
      const found = exampleOf(await callTool(tool, request, threads));
      if (!isDeepStrictEqual(found, response))
        faults.push(
          `${at}: the response is ${JSON.stringify(found)}, not ${JSON.stringify(response)}`,
        );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      faults.push(`${at}: ${faultOf(error)}`);
    }
  }
  if (faults.length > 0) return faults;
  const { length } = tool.examples;
  return `${length === 1 ? "the example passes" : `${length} examples pass`}.`;
}

/** Makes a call with a request that follows from the schema. A rule that the schema does not state may reject it, which is no fault. */
async function checkSample(
  tool: Tool,
  files: readonly ToolFile[],
  threads: OwnToolThreads,
): Promise<Checked> {
  const request = requestOf(tool);
  const call = `a call ${request === undefined ? "without a body" : `with ${shortened(JSON.stringify(request))}`}`;
  try {
    await callTool(tool, request, threads);
    return `${call} succeeds. It has no examples: add one, so that its response is compared here and shown in the documentation.`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!["tool_failed", "tool_timeout"].includes(error.code))
      return `it rejects ${call}, which was generated from the schema. Add an example, so that it is run here and shown in the documentation.`;
    const { file } = files.find(({ name }) => name === tool.name) as ToolFile;
    const { cause } = error;
    const thrown = new Error(`${call} fails: ${firstLine(cause)}`);
    thrown.stack = cause instanceof Error ? (cause.stack ?? "") : String(cause);
    return explainToolFile(thrown, file, path.dirname(file));
  }
}

/** What an author is told of a call that failed. Advice for clients is no help here. */
function faultOf({ code, cause, message, details }: ApiError): string {
  if (code === "invalid_request") return `the tool rejects the request: ${message}`;
  return code === "tool_failed" ? `it fails: ${firstLine(cause)}` : (details.happened ?? message);
}

const SHOWN_MAX = 100;
const shortened = (text: string) =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;

const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause).split("\n")[0] ?? "";

async function callTool(
  tool: Tool,
  request: unknown,
  threads: OwnToolThreads,
): Promise<ToolResponse> {
  const text = request === undefined ? "" : JSON.stringify(request);
  const job = {
    ...{ body: new TextEncoder().encode(text), contentType: "application/json", query: "" },
    ...{ accept: null, receivedAt: Date.now(), random: null, fingerprint: false },
  };
  const isHeld = tool.effect !== "none";
  return threads.run(tool, job, "", isHeld ? { begin: async () => "call_of_the_check" } : {});
}

/** A response as an example has it: what JSON says, a text as it is, other bytes in base64. */
function exampleOf({ body, type }: ToolResponse): unknown {
  const bytes = Buffer.from(body as Uint8Array);
  if (!isJsonType(type))
    return bytes.toString(/^text\/|[/+]xml$/.test(mediaType(type)) ? "utf8" : "base64");
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const NEW = defineCommand({
  name: "new tool",
  summary: "Write a new tool and its test",
  details: [
    "It writes tools/<name>.ts, a tool that counts words, and tools/<name>.test.ts. Files that exist are not changed.",
  ],
  example: "new tool word-count",
  positionals: ["name"],
  input: z.object({
    name: z.string().refine((name) => nameFault(name) === undefined, {
      error: "must have lowercase letters, digits and hyphens between them, and not be `account`",
    }),
  }),
  isOnFiles: () => true,
  async run(_, { name }) {
    const [file, test] = [".ts", ".test.ts"].map((end) => path.join(TOOLS_FOLDER, `${name}${end}`));
    const files = { [file as string]: SOURCE, [test as string]: testOf(name) };
    for (const each of Object.keys(files))
      if (existsSync(each))
        throw new CommandError(`${each} exists. Nothing was written; choose another name.`);
    mkdirSync(TOOLS_FOLDER, { recursive: true });
    for (const [each, text] of Object.entries(files)) writeFileSync(each, text);
    return {
      json: { ok: true, files: Object.keys(files) },
      text: `Wrote ${file} and ${test}. Run the test with: node --test ${test}
A running server serves the tool after a restart; ${quotedCommand("dev")} serves tools as they are saved.
${isCommonJs() ? TYPE_MODULE : ""}`,
    };
  },
});

/** Whether Node takes the project's files for CommonJS, as after `npm init`. Tools are read as modules all the same; tests are not. */
function isCommonJs(): boolean {
  try {
    const { type } = JSON.parse(readFileSync("package.json", "utf8")) as { type?: string };
    return type === "commonjs";
  } catch {
    return false;
  }
}

const TYPE_MODULE =
  'The package.json has "type": "commonjs", so Node cannot run the test. Change it with: npm pkg set type=module\n';

const SOURCE = `import { defineTool, z } from "toolbooth";

export default defineTool({
  summary: "Counts the words of a text.",
  input: { text: z.string().describe("The text to count.") },
  output: { words: z.int().describe("The number of words.") },
  price: 1,
  effect: "none",
  examples: [
    { name: "three words", request: { text: "three little words" }, response: { words: 3 } },
  ],
  run: ({ text }) => ({ words: text.split(/\\s+/).filter(Boolean).length }),
});
`;

const testOf = (name: string) => `import assert from "node:assert/strict";
import { test } from "node:test";
import tool from ${JSON.stringify(`./${name}.ts`)};

test("counts words, not spaces", async () => {
  assert.deepEqual(await tool.run({ text: "  three  little words " }), { words: 3 });
});
`;

/** The start file runs the server in place of the command line (`start.js`). */
const DEV = defineCommand({
  name: "dev",
  summary: "Start the service, and serve its tools as they are saved",
  details: [
    "It is the service of the current folder. When a file of tools/, or one that it imports, has been saved, the next call runs what is saved. While a file is wrong, it says why, and the last good version is served.",
  ],
  example: "dev",
  input: z.object({}),
  isOnFiles: () => true,
  async run() {
    throw new UsageError(
      "dev takes no options. Its settings are those of the environment and of the file .env in the current folder.",
    );
  },
});

export const TOOL_COMMANDS: readonly Command[] = [DEV, CHECK, NEW];

import * as z from "zod/mini";
import { IN_WORDS } from "#issue-text.ts";
import {
  OWN_BODY_BYTES_MAX,
  OWN_HEAVY_FROM_BYTES,
  OWN_TEXT_CHARS_MAX,
  OWN_TIME_LIMIT_MS,
  UPLOAD_BYTES_MAX,
} from "#limits.ts";
import { definitionFaults } from "./check-definition.ts";
import {
  DEFINED,
  type Example,
  type OwnToolContext,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from "./define-tool.ts";
import { describedBy, faultsIn, schemaOf } from "./input-schema.ts";
import { guardFetch, hideSecrets } from "./own-tool-context.ts";
import { InvalidInput, isInvalidInput, isUpstreamFault } from "./run-fault.ts";
import { withFullStop } from "./text.ts";

/** A tool of the operator's folder, whose file gives it its name. */

/** Names in a URL. `account` is the endpoint of a key's account. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const RESERVED = ["account"];

/** Returns why a file cannot give a tool its name; undefined if it can. */
export function nameFault(name: string): string | undefined {
  if (RESERVED.includes(name)) return `the name \`${name}\` is reserved; rename the file`;
  if (NAME.test(name)) return undefined;
  return "the name of a tool has lowercase letters, digits and hyphens between them, such as `word-count`; rename the file, or begin its name with `_` if it is not a tool";
}

/**
 * The definitions that a file exports, by the names of their tools: one, which has the name of the file, or an object of several, such as
 * those of an OpenAPI document.
 */
export function definitionsIn(fileName: string, exported: unknown): Record<string, unknown> {
  const isDefinition = (value: unknown) =>
    typeof value === "object" && value !== null && DEFINED in value;
  const isObject = typeof exported === "object" && exported !== null;
  const isSeveral = isObject && Object.values(exported).some(isDefinition);
  return isSeveral && !isDefinition(exported) ? { ...exported } : { [fileName]: exported };
}

/**
 * Returns the tool that a file exports, with the defaults of everything that its definition leaves out. Its response is the object that
 * `run` returns, behind `ok`. Throws a TypeError with everything that is wrong; its stack has the place of the definition.
 */
export function ownTool(name: string, exported: unknown): Tool {
  const { [DEFINED]: place, ...definition } = (exported ?? {}) as Defined;
  const { price, priceMax, file, examples = [], ...members } = definition;
  if (place === undefined) throw new TypeError(NO_TOOL);
  const faults = definitionFaults(definition);
  if (faults.length > 0)
    throw Object.assign(new TypeError(faults.join("\n")), { stack: place.stack });
  const input = schemaOf(definition.input);
  const output = outputOf(definition);
  return {
    title: titleOf(name),
    ...(file !== undefined && { file: { bytesMax: UPLOAD_BYTES_MAX, ...file } }),
    ...{ body: takesNothing(input) ? "optional" : "required", bodyBytesMax: OWN_BODY_BYTES_MAX },
    ...{ fieldBytesMax: {}, heavyFromBytes: OWN_HEAVY_FROM_BYTES },
    examples: definition.passThrough === true ? examples : examples.map(withOk),
    timeLimitMs: OWN_TIME_LIMIT_MS,
    ...members,
    ...(typeof price === "function" ? { price: priceMax, priceOf: price } : { price }),
    ...{ name, isOwn: true, input, inWords: IN_WORDS, output },
    effect: definition.effect ?? "read",
    description: withFullStop(definition.description ?? definition.summary),
    async run(sent, context) {
      const { signal = new AbortController().signal } = context as Partial<OwnToolContext>;
      const returned = await runHiding(definition, sent, { ...NO_CALL, ...context, signal });
      if (definition.passThrough === true) return passed(returned);
      const checked = z.safeParse(output, returned, IN_WORDS);
      if (!checked.success) throw new OutputFault(checked.error.issues);
      // A verbatim response is written from what the tool returned.
      if (definition.encode !== undefined) return returned;
      const result: unknown = checked.data;
      if (typeof result !== "object" || result === null || Array.isArray(result))
        throw new TypeError(`run must return an object; it returned ${kindOf(result)}`);
      if ("ok" in result && result.ok !== true)
        throw new TypeError("run returned another `ok` than true, which the response has");
      return { ok: true, ...result };
    },
  } as Tool;
}

/** An author may write in an example what `run` returns. */
const withOk = ({ response, ...example }: Example): Example => ({
  ...example,
  response:
    typeof response === "object" && response !== null ? { ok: true, ...response } : response,
});

function outputOf({ output, passThrough }: ToolDefinition): z.ZodMiniType {
  if (output !== undefined) return schemaOf(output);
  return passThrough === true
    ? describedBy(ANYTHING)
    : z.looseObject({}).register(z.globalRegistry, ANY_OBJECT);
}

const ANY_OBJECT = { description: "`ok`, and what the tool returns." };

const ANYTHING = { description: "The response of the service behind the tool." };

function passed(returned: unknown): Response {
  if (returned instanceof Response && returned.ok) return returned;
  const found = returned instanceof Response ? `one with ${returned.status}` : kindOf(returned);
  throw new TypeError(
    `run must return a Response of success (\`passThrough\`); it returned ${found}`,
  );
}

/** For a tool of effect `none`, and for tests. */
const NO_CALL: Omit<OwnToolContext, keyof ToolContext | "signal"> = {
  ...{ callId: "", idempotencyKey: "", account: "", secrets: {}, file: undefined as never },
  settle() {
    throw new TypeError('A tool settles only if its effect is "read" or "act"');
  },
  fetch: () => Promise.reject(new TypeError("This runtime has no network")),
  log() {},
};

/** Runs the tool. What it logs and throws, which is logged too, has the names of its secrets in place of their values. */
async function runHiding(
  { run, hosts }: ToolDefinition,
  input: unknown,
  context: OwnToolContext,
): Promise<unknown> {
  const { signal, secrets } = context;
  const hide = (text: string) => hideSecrets(text, secrets);
  try {
    return await run(input as never, {
      ...context,
      fetch: guardFetch(context.fetch, hosts, signal),
      log: (message) => context.log(hide(String(message).slice(0, OWN_TEXT_CHARS_MAX))),
    });
  } catch (thrown) {
    if (isInvalidInput(thrown)) throw new InvalidInput(hide(thrown.message), thrown.field);
    if (isUpstreamFault(thrown)) throw thrown;
    if (!(thrown instanceof Error)) throw typeof thrown === "string" ? hide(thrown) : thrown;
    const [message, stack] = [hide(thrown.message), hide(withCauses(thrown))];
    if (message === thrown.message && stack === thrown.stack) throw thrown;
    throw Object.assign(new Error(message), { stack });
  }
}

/** The stack of an error and those of its causes: of a `fetch` that failed, only the cause says why. */
function withCauses({ message, stack = message, cause }: Error, depth = 0): string {
  if (cause === undefined || depth === CAUSES_MAX) return stack;
  const text = cause instanceof Error ? withCauses(cause, depth + 1) : String(cause);
  return `${stack}\n[cause]: ${text}`;
}

const CAUSES_MAX = 5;

type Defined = ToolDefinition & { [DEFINED]?: Error };

const NO_TOOL =
  'its default export must be a tool: `export default defineTool({ … })`, with `import { defineTool } from "toolbooth"`';

/** `word-count` is shown as "Word count". */
const titleOf = (name: string): string =>
  name.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());

/** Whether every field may be left out. */
function takesNothing(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return (
    def.type === "object" &&
    Object.values(def.shape).every((field) => field._zod.optin !== undefined)
  );
}

/** The output of a tool does not fit its own schema. */
class OutputFault extends TypeError {
  constructor(issues: readonly z.core.$ZodIssue[]) {
    super(`run returned what \`output\` forbids: ${faultsIn(issues)}`);
  }
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;

import type { Representation, Tool } from "#tools/define-tool.ts";
import { describedBy } from "#tools/input-schema.ts";
import type { JsonSchema } from "./document.ts";
import { convert, convertOutput } from "./schemas.ts";

/**
 * An own tool as plain data: what the service, the documentation and the tool's page need to know of it, without its code. It is posted
 * from the thread that has read the file.
 */
export type ToolDescription = Omit<
  Tool,
  | "input"
  | "inWords"
  | "output"
  | "representations"
  | "run"
  | "runInBlocks"
  | "encode"
  | "priceOf"
  // Visitors get the description of a tool that has a page.
  | "secrets"
  | "hosts"
> & {
  /** Whether the price depends on the input. */
  isPriceByInput?: true;
  inputSchema: JsonSchema;
  /** With `ok`, which the service adds. */
  outputSchema: JsonSchema;
  representations?: Omit<Representation, "write">[];
};

/** Throws a TypeError if a schema has no JSON Schema, as a date or a function has none. */
export function describeOwnTool(tool: Tool): ToolDescription {
  const { input, inWords: _, output: __, representations, priceOf, ...others } = tool;
  const {
    run: ___,
    runInBlocks: ____,
    encode: _____,
    secrets: ______,
    hosts: _______,
    ...data
  } = others;
  const returned = described("output", () => convertOutput(tool));
  const description: ToolDescription = {
    ...data,
    inputSchema: described("input", () => convert(input, "input")),
    outputSchema: tool.passThrough === true ? returned : withOk(returned),
  };
  if (priceOf !== undefined) description.isPriceByInput = true;
  if (representations !== undefined)
    description.representations = representations.map(({ write: _, ...form }) => form);
  return description;
}

function described(member: "input" | "output", describe: () => JsonSchema): JsonSchema {
  try {
    return describe();
  } catch (cause) {
    throw new TypeError(
      `\`${member}\` has a type that JSON does not have: ${(cause as Error).message}. Use one that JSON has, such as \`z.iso.datetime()\` for a time.`,
    );
  }
}

const withOk = ({ properties = {}, required = [], ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  type: "object",
  properties: {
    ok: { type: "boolean", const: true, description: "True on success." },
    ...properties,
  },
  required: ["ok", ...required.filter((name) => name !== "ok")],
});

/** The tool without its code: its input is checked, its price is decided, and it runs, in its thread. */
export function toolOfDescription({
  inputSchema,
  outputSchema,
  representations,
  isPriceByInput,
  ...data
}: ToolDescription): Tool {
  const tool: Tool = {
    ...data,
    input: describedBy(inputSchema),
    output: describedBy(outputSchema),
    run: elsewhere,
  };
  if (isPriceByInput) tool.priceOf = elsewhere;
  if (representations !== undefined)
    tool.representations = representations.map((form) => ({ ...form, write: elsewhere }));
  return tool;
}

function elsewhere(): never {
  throw new Error("An own tool runs in its thread");
}

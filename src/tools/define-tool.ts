import type * as z from "zod/mini";
import type { InputOf, InputSchema, OutputSchema } from "./input-schema.ts";

/**
 * A long text for runtimes with little memory, as blocks of UTF-8. An engine stores a string with any character beyond
 * Latin-1 in two bytes for each of its characters, and it needs that memory twice while it joins the parts of a string.
 */
export type LongText = {
  readonly blocks: readonly Uint8Array[];
  readonly bytes: number;
};

/**
 * A tool is the default export of a file, made by `defineTool`. The route, the price, the OpenAPI description, the documentation, the
 * form of its page and the shared tests are all derived from this value.
 *
 * The tools that come with Toolbooth run unchanged in Node, workerd and browsers, so everything that depends on the runtime is passed
 * in.
 */

export type HashAlgorithm = "sha1" | "sha256" | "sha384" | "sha512";

/** Everything that a tool gets besides its input. */
export type ToolContext = {
  /** When the request was received, in milliseconds since 1970 UTC. */
  receivedAt: number;
  /** Cryptographically random bytes. A replay passes in the bytes of the first run and gets the same result. */
  random(count: number): Uint8Array;
  digest(algorithm: HashAlgorithm, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** The raw body of a tool that takes octets; the field that it fills is then empty. Left out for any other body. */
  octets?: Uint8Array | null;
};

/** The file of a call: a `Blob` of the web, whose bytes stay on the disk until they are read, and where they are. */
export type UploadedFile = Blob & {
  /** For programs that read a file. The file is deleted when the call has ended. */
  readonly path: string;
};

/**
 * What a tool of one's own gets besides. `Secret`: the names in `secrets` of its definition. `File`: its member `file`; never if it has
 * none.
 */
export type OwnToolContext<
  Secret extends string = string,
  File extends FileRule = FileRule,
> = ToolContext & {
  /** The file that the client has sent; undefined for a tool that takes none. */
  file: [File] extends [never] ? undefined : UploadedFile;
  /** Aborts when the tool has reached its time limit. `fetch` has it already. */
  signal: AbortSignal;
  /** Identifies the call, also in the ledger. Empty for a tool of effect `none`, which runs before it is charged. */
  callId: string;
  /**
   * Send it to services as their idempotency key: the client's `Idempotency-Key` behind account and tool, so that two customers with the
   * same key do not get each other's response; `callId` if the client sent none.
   */
  idempotencyKey: string;
  /** The id of the account that pays for the call. */
  account: string;
  /** The values of the settings that the definition names. */
  secrets: Readonly<Record<Secret, string>>;
  /**
   * The runtime's `fetch`, with `signal`. It reaches the hosts that the definition names, or, if it names none, those on the public
   * internet; for any other it rejects with a TypeError.
   */
  fetch: typeof fetch;
  /** Writes a line to the service's log, with the tool and the call. */
  log(message: string): void;
  /**
   * The call costs this many credits, at most the price. The last word counts. Throws a TypeError if it is not a whole number, 0 or more,
   * and for a tool of effect `none`.
   */
  settle(credits: number): void;
};

/** How a body that is not JSON fills the tool's main field; the other fields are then query parameters. */
export type RawBody = {
  field: string;
  /** The media types of such bodies. Forms (`multipart/form-data`) are accepted too. */
  types: readonly string[];
  /** The tool gets any bytes, as `ToolContext.octets`. Otherwise they must be UTF-8. */
  octets: boolean;
  /**
   * For a tool whose main field is a text: the field that a body of the type `application/octet-stream` fills, in base64. Files
   * of forms are texts, because their type is a guess of the client.
   */
  octetsField?: string;
  /** Fields that stand in for `field` in JSON. Nothing can be combined with them that fills `field`. */
  standIns?: readonly string[];
};

/** The file that each call of a tool has. */
export type FileRule = {
  /** The media types that it may have, in lowercase and without parameters. */
  types: readonly string[];
  /** Its largest size in bytes. Default: UPLOAD_BYTES_MAX, which is also the most. */
  bytesMax?: number;
};

/** An output whose strings may be a `LongText` each. */
export type InBlocks<Output> = {
  [Field in keyof Output]: string extends Output[Field] ? Output[Field] | LongText : Output[Field];
};

/** A form of the response besides JSON, for a client whose `Accept` asks for its type. */
export type Representation<Input = unknown, Output = unknown> = {
  /** The media type, in lowercase and without parameters. */
  type: string;
  /** The values that fields must have for this form. A client that leaves such a field out gets them. */
  fields?: Partial<Input>;
  /** For a tool with `runInBlocks` it must return a field as it is, which may be a LongText. */
  write(output: Output): string | Uint8Array<ArrayBuffer>;
};

/** A request body and the exact response to it. The tests run it with the context `fixedToolContext`. */
export type Example = {
  name: string;
  request: unknown;
  response: unknown;
};

export type Tool<Input = unknown, Output = unknown> = {
  /** The name in the URL. The tool's folder, test, documentation page and browser page have the same name. */
  name: string;
  /**
   * The name of the operation in generated clients, a verb with a noun. By default `callWordCount` for `word-count`. It
   * must not be a word of a programming language, as `echo` and `hash` are.
   */
  operation?: string;
  title: string;
  summary: string;
  description: string;
  /**
   * What agents read (MCP) in place of the first sentences of `description` and of the fields' descriptions, where those
   * speak of HTTP, or say too little by themselves.
   */
  agents?: { description?: string; fields?: Record<string, string> };
  /** The cost of a successful call in credits: a whole number from 0 to PRICE_CREDITS_MAX. With `priceOf`, the most that a call costs. */
  price: number;
  /** What a call with this checked input costs: a whole number from 0 to `price`. Left out if every call costs the price. */
  priceOf?(input: Input): number;
  /**
   * What a call does besides its response. `none`: nothing, so it may run again, and is charged afterwards. `read`: it costs time or money,
   * so it is paid before it runs, and a repeat gets the kept response. `act`: it changes the world, so it also needs an idempotency key
   * (but for MCP), and never runs twice under it.
   */
  effect: "none" | "read" | "act";
  /** Whether a call of effect `act` is charged if its node dies while it runs. By default it is not (`release`). */
  onCrash?: "release" | "charge";
  /** Checks the parsed body. It must be strict: an unknown field is an error. */
  input: z.ZodMiniType<Input>;
  /** Describes the response. Fields are in the order in which they are sent. */
  output: z.ZodMiniType<Output>;
  /** `"optional"`: a call without a body gets the input `{}` (`null` for a verbatim tool). */
  body: "required" | "optional";
  /** A verbatim tool gets the JSON text as the client sent it, up to `bytesMax` bytes, instead of the parsed value. */
  verbatim?: { bytesMax: number };
  /** The server reads at most this many bytes of a JSON body. */
  bodyBytesMax: number;
  /** Omitted if the tool takes JSON only. */
  rawBody?: RawBody;
  /**
   * The tool takes a file, which is never in memory as a whole: as the body, with the other fields as query parameters, or as the file of
   * a form. Only for own tools, on Node. Omitted if the tool takes none.
   */
  file?: Required<FileRule>;
  /** Omitted if the tool responds in JSON only. */
  representations?: readonly Representation<Input, Output>[];
  /** `run` returns a `Response`: its body and type are those of the call's response, as they are. */
  passThrough?: boolean;
  /** The settings (environment variables) that the tool needs. */
  secrets?: readonly string[];
  /** The hosts that `OwnToolContext.fetch` reaches, in private networks too. Omitted: every host on the public internet. */
  hosts?: readonly string[];
  /** Fields that a URL must not contain, because URLs are logged. */
  secretFields?: readonly string[];
  /** The most UTF-8 bytes in each text field. Longer text is `too_large`, not `invalid_request`. */
  fieldBytesMax: Record<string, number>;
  /** A body of at least this many bytes runs off the main thread (measurements: docs/decisions/0005). */
  heavyFromBytes: number;
  examples: Example[];
  /** A tool of the operator's folder: it runs in threads of its own, and its code is not sent to visitors. */
  isOwn?: boolean;
  /** The words of issues for which `checkInput` has none. Only schemas of own tools have such issues, so calls of other tools load no words. */
  inWords?: { error: z.core.$ZodErrorMap };
  /** The thread of an own tool is ended when a call has run for so long. */
  timeLimitMs?: number;
  /**
   * How many calls a thread of an own tool has at once. Only for a tool that never keeps its thread busy, and ends by itself (`forward`). By
   * default a thread has one, which is then the only one that its fault ends.
   */
  callsAtOnce?: number;
  /**
   * Whether the tool has a page with a form. One that comes with Toolbooth runs there, in the browser of anybody; the page of an own
   * tool calls the API with a key, because its code is sent to nobody. Left out: it has none.
   */
  browser?: boolean;
  /** How the page starts. By default, its form contains the first example, and a tool that runs there does so at each change. */
  page?: ToolPage;
  run(input: Input, context: ToolContext): Output | Promise<Output>;
  /** Does the same for a runtime with little memory. Only for a tool whose output can be much larger than its input. */
  runInBlocks?(input: Input, context: ToolContext): InBlocks<Output>;
  /** Writes the response as JSON text. Only for a tool whose output contains verbatim JSON. */
  encode?(output: Output): string;
};

/** A tool that its first call loads. */
export type LazyTool = Pick<Tool, "name"> & { load(): Promise<Tool> };

export type ToolPage = {
  /**
   * The initial content of the form; an omitted field has its default. The form of a verbatim tool has the field
   * `body`.
   */
  sample?: Record<string, string | number | boolean>;
  /** The label of a button that runs the tool, for a tool that returns something new each time. */
  button?: string;
  /** Fields whose control does not follow from the schema. `none` leaves a field out of the form. */
  controls?: Record<string, "none" | "color">;
};

/** What an author writes: four members. The rest has defaults (`own-tool.ts`). */
export type ToolDefinition<
  Schema extends InputSchema = InputSchema,
  Output = unknown,
  Secret extends string = string,
  File extends FileRule = FileRule,
> = Pick<Tool<InputOf<Schema>, Output>, "summary"> & {
  /** Credits for a successful call, or a function that says how many by the checked input. */
  price: number | ((input: InputOf<Schema>) => number);
  /** The most that a call costs, if `price` is a function. */
  priceMax?: number;
  run(input: InputOf<Schema>, context: OwnToolContext<Secret, File>): Output | Promise<Output>;
  secrets?: readonly Secret[];
  file?: File;
  /** The fields by name, or a schema. Zod of either kind, or any Standard Schema. */
  input: Schema;
  output?: OutputSchema<Output>;
} & Partial<
    Omit<
      Tool<InputOf<Schema>, Output>,
      | "summary"
      | "price"
      | "priceOf"
      | "run"
      | "input"
      | "output"
      | "secrets"
      | "file"
      | "name"
      | "isOwn"
      | "inWords"
      | "callsAtOnce"
    >
  >;

/** A test gives a tool what it uses of its context. */
type DefinedTool<
  Schema extends InputSchema,
  Output,
  Secret extends string,
  File extends FileRule,
> = ToolDefinition<Schema, Output, Secret, File> & {
  run(
    input: InputOf<Schema>,
    context?: Partial<OwnToolContext<Secret, File>>,
  ): Output | Promise<Output>;
};

/** Marks a definition, with the place where it is. Known also to another copy of this file, as a project may have. */
export const DEFINED = Symbol.for("toolbooth.tool");

/**
 * Returns the tool marked; it exists so that TypeScript infers the types of input and output. What is wrong with a definition is told
 * when its tool is made (`ownTool`).
 */
export function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output>;
export function defineTool<
  const Schema extends InputSchema,
  Output,
  const Secret extends string = never,
  const File extends FileRule = never,
>(
  definition: ToolDefinition<Schema, Output, Secret, File>,
): DefinedTool<Schema, Output, Secret, File>;
export function defineTool(definition: object): object {
  return { ...definition, [DEFINED]: new Error("The definition of a tool") };
}

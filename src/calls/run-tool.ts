import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { ApiError } from "#errors.ts";
import { OWN_RESPONSE_BYTES_MAX, OWN_TEXT_CHARS_MAX } from "#limits.ts";
import { checkInput, fieldFinding, type SentInput } from "#tools/check-input.ts";
import type {
  LongText,
  OwnToolContext,
  Representation,
  Tool,
  ToolContext,
  UploadedFile,
} from "#tools/define-tool.ts";
import { isLongText } from "#tools/long-text.ts";
import { OCTETS_TYPE } from "#tools/media-type.ts";
import { readBytes } from "#tools/read-bytes.ts";
import { type InvalidInput, isInvalidInput, isUpstreamFault } from "#tools/run-fault.ts";
import { encodeUtf8, utf8LengthOver } from "#tools/text.ts";
import { upstreamError } from "./call-errors.ts";
import { readInput, type SentRequest } from "./read-input.ts";
import { inPieces, isLargeText, type LargeText, writeJson } from "./reply-pieces.ts";
import type { ReceivedFile } from "./stored-file.ts";

/**
 * Turns the bytes of a body into the bytes of the response: the part of a call that may run on another thread. A job and
 * its response are plain data that can be posted between threads.
 */
export type ToolJob = SentRequest & {
  /** The types that the client accepts. */
  accept: string | null;
  receivedAt: number;
  /** The random bytes (hex) of the first run, for a replay; null to draw new ones. */
  random: string | null;
  /** Whether to compute the fingerprints that idempotency needs. */
  fingerprint: boolean;
  /** Only the price of the call is asked for: its input is checked, and the tool does not run. */
  isQuote?: boolean;
  /** Who calls. Only own tools are told. */
  caller?: { account: string; idempotencyKey: string | null };
};

export type ToolResponse = {
  /** The text, or its UTF-8 bytes; the bytes of an image. */
  body: string | Uint8Array;
  /** The `Content-Type`. */
  type: string;
  fingerprint: { bodySha256: string; responseSha256: string; random: string | null } | null;
  /** What the tool has settled for, in credits. Absent or null if it did not say. */
  settled?: number | null;
  /** The price of the call in credits. Absent if it does not depend on the input. */
  credits?: number;
};

/** A call whose input has been checked: its price in credits, and the fingerprint of its request if it has an idempotency key. */
export type PreparedCall = { credits: number; bodySha256: string | null };

/** Pays for a call before its tool runs. Returns the id of the call. */
export type BeginCall = (prepared: PreparedCall) => Promise<string>;

/** What a call does between the steps of its tool's run. */
export type RunSteps = {
  /** It has waited for a thread, and has one. */
  onThread?: (() => void) | undefined;
  begin?: BeginCall | undefined;
};

/** A response that may be in pieces, for a runtime with little memory. */
export type CallResponse = Omit<ToolResponse, "body"> & { body: string | Uint8Array | LargeText };

export type Sources = Pick<ToolContext, "random" | "digest"> & {
  begin?: BeginCall | undefined;
  /** Omitted: the tool is not an own tool. */
  own?: OwnSources | undefined;
};

/** What the runtime has for a call of an own tool. */
export type OwnSources = Pick<OwnToolContext, "signal" | "secrets" | "fetch"> & {
  /** Omitted: the runtime has no files. */
  openFile?(file: ReceivedFile): Promise<UploadedFile>;
  log(message: string, callId: string): void;
};

/** Throws an ApiError for an invalid body, and the errors of the tool. */
export const runTool = (tool: Tool, job: ToolJob, sources: Sources): Promise<ToolResponse> =>
  runJob(tool, job, sources, WHOLE);

/** Returns the same bytes; a large response in pieces. */
export const runToolInPieces = (
  tool: Tool,
  job: ToolJob,
  sources: Sources,
): Promise<CallResponse> => runJob(tool, job, sources, IN_PIECES);

type Writer<Body> = {
  inBlocks: boolean;
  json(output: unknown): Body;
  text(text: string | LongText): Body;
};

// Without `inBlocks` there is no LongText.
const WHOLE = { inBlocks: false, json: JSON.stringify, text: (text: unknown) => text as string };
const IN_PIECES = { inBlocks: true, json: writeJson, text: inPieces };

async function runJob<Body extends string | LargeText>(
  tool: Tool,
  job: ToolJob,
  sources: Sources,
  write: Writer<Body>,
): Promise<Omit<ToolResponse, "body"> & { body: Body | Uint8Array }> {
  const sent = readInput(tool, job);
  // What the tool passes on has a type of its own.
  const accept = tool.passThrough === true ? null : job.accept;
  const { input, form } = chooseInput(tool, sent, accept);
  const credits = priceOf(tool, input, sent.parameters);
  if (job.isQuote === true) return { body: new Uint8Array(), type: "", fingerprint: null, credits };

  let drawn: Uint8Array | null = null;
  const context: ToolContext = {
    receivedAt: job.receivedAt,
    digest: sources.digest,
    octets: sent.octets,
    random(count) {
      const bytes = job.random === null ? sources.random(count) : hexToBytes(job.random);
      drawn = bytes;
      return bytes;
    },
  };
  const chosenType = form?.type ?? "application/json";
  // Hashed first: after the tool has run there is no `await` before its output is counted, so other outputs cannot pile up uncounted.
  const bodySha256 = job.fingerprint
    ? bytesToHex(await hashRequest(sent, job, chosenType, sources))
    : null;
  const { begin, own } = sources;
  const call = begin === undefined ? null : openCall(await begin({ credits, bodySha256 }));
  if (call !== null) Object.assign(context, call.context);
  if (own !== undefined)
    Object.assign(context, ownContext(tool.name, job, own, call?.context.callId ?? ""));
  if (job.file !== undefined) Object.assign(context, { file: await own?.openFile?.(job.file) });
  const { runInBlocks } = tool;
  const result =
    write.inBlocks && runInBlocks !== undefined
      ? runInBlocks(input, context)
      : tool.run(input, context);
  const output =
    result instanceof Promise
      ? await result.catch((thrown) => throwFault(tool, thrown, sent.parameters))
      : result;
  const { body, type } =
    tool.passThrough === true
      ? await passOn(output as Response)
      : { body: writeOutput(tool, form, output, write), type: contentTypeOf(chosenType) };
  if (own !== undefined) requireSendable(body);
  // Its response is kept, so its repeats need not be compared.
  if (call !== null) return { body, type, fingerprint: null, settled: call.settled() };
  const priced = tool.priceOf === undefined ? undefined : { credits };
  if (bodySha256 === null) return { body, type, fingerprint: null, ...priced };
  const fingerprint = {
    bodySha256,
    responseSha256: bytesToHex(await hashResponse(body, sources)),
    random: drawn === null ? null : bytesToHex(drawn),
  };
  return { body, type, fingerprint, ...priced };
}

/** What the call costs. Throws a TypeError if the tool's function returns no price. */
function priceOf(tool: Tool, input: unknown, parameters: ReadonlySet<string>): number {
  const { price } = tool;
  if (tool.priceOf === undefined) return price;
  let credits: number;
  try {
    credits = tool.priceOf(input);
  } catch (thrown) {
    return throwFault(tool, thrown, parameters);
  }
  if (Number.isSafeInteger(credits) && credits >= 0 && credits <= price) return credits;
  throw new TypeError(
    `price returned ${credits}; it must return a whole number of credits from 0 to priceMax, which is ${price}`,
  );
}

/** The texts of tools are UTF-8. What a tool passes on may be in another charset. */
const contentTypeOf = (type: string): string =>
  type.startsWith("text/") ? `${type}; charset=utf-8` : type;

/** `parameters`: the fields that came in the query. */
function throwFault(tool: Tool, thrown: unknown, parameters: ReadonlySet<string>): never {
  if (isInvalidInput(thrown)) throw rejected(thrown, parameters);
  throw isUpstreamFault(thrown) ? upstreamError(tool.name, thrown) : thrown;
}

/** The tool has done nothing, so that a call of effect `act` is free to run again under its key. */
function rejected({ message, field }: InvalidInput, parameters: ReadonlySet<string>): ApiError {
  const said = message.slice(0, OWN_TEXT_CHARS_MAX).toWellFormed();
  const detail = said.trim() === "" ? "The tool rejects the input." : said;
  const fault =
    field === undefined
      ? { pointer: "", detail }
      : fieldFinding(field, parameters.has(field), detail).fault;
  return new ApiError("invalid_request", detail, { errors: [fault], didNothing: true });
}

/** The body of a response, and its type. */
async function passOn(
  response: Response,
): Promise<Pick<ToolResponse, "type"> & { body: Uint8Array }> {
  const body = await readBytes(response.body, OWN_RESPONSE_BYTES_MAX);
  if (body === null) throw tooLarge();
  return { body, type: response.headers.get("content-type") ?? OCTETS_TYPE };
}

/** Throws a RangeError for a response that an own tool may not have. */
function requireSendable(body: string | Uint8Array | LargeText): void {
  const isTooLarge =
    typeof body === "string"
      ? utf8LengthOver(body, OWN_RESPONSE_BYTES_MAX) !== undefined
      : (isLargeText(body) ? body.bytes : body.byteLength) > OWN_RESPONSE_BYTES_MAX;
  if (isTooLarge) throw tooLarge();
}

const tooLarge = () =>
  new RangeError(`the response has more than ${OWN_RESPONSE_BYTES_MAX} bytes, which is the limit`);

/** What a tool gets that is paid before it runs. */
function openCall(callId: string) {
  let settled: number | null = null;
  const context: Pick<OwnToolContext, "callId" | "settle"> = {
    callId,
    settle(credits) {
      if (!Number.isSafeInteger(credits) || credits < 0)
        throw new TypeError(`settle takes a whole number of credits, 0 or more; got ${credits}`);
      settled = credits;
    },
  };
  return { context, settled: () => settled };
}

function ownContext(
  tool: string,
  { caller }: ToolJob,
  { signal, secrets, fetch, log }: OwnSources,
  callId: string,
): Partial<OwnToolContext> {
  const { account = "", idempotencyKey: key = null } = caller ?? {};
  const idempotencyKey = key === null ? callId : `${account}/${tool}/${key}`;
  return {
    ...{ signal, secrets, fetch, account, idempotencyKey },
    log: (message) => log(message, callId),
  };
}

/** The checked input, and the form of the response. The form sets the fields that it needs and the client left out. */
function chooseInput(
  tool: Tool,
  sent: SentInput,
  accept: string | null,
): { input: unknown; form: ResponseForm } {
  const { value, parameters, hint } = sent;
  // What most clients send: for them a call pays nothing more.
  if (accept === null || accept === "*/*" || accept === "application/json") {
    return { input: checkInput(tool, value, parameters, hint).input, form: null };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const names = isObject ? (value as Record<string, unknown>) : {};
  const whole = isObject ? { ...fieldsOfAccept(tool, accept, names), ...names } : value;
  const { input } = checkInput(tool, whole, parameters, hint);
  const explicit = Object.entries(input ?? {}).filter(([name]) => Object.hasOwn(names, name));
  const form = chooseForm(tool, accept, Object.fromEntries(explicit));
  return form?.fields === undefined
    ? { input, form }
    : { input: { ...(input as object), ...form.fields }, form };
}

function writeOutput<Body extends string | LargeText>(
  tool: Tool,
  form: ResponseForm,
  output: unknown,
  write: Writer<Body>,
): Body | Uint8Array {
  if (form !== null) {
    const body: string | Uint8Array | LongText = form.write(output);
    return typeof body === "string" || isLongText(body) ? write.text(body) : body;
  }
  return tool.encode === undefined ? write.json(output) : write.text(tool.encode(output));
}

/**
 * What makes two requests the same call: the fields in any order, how the body was read, the query and the type of the
 * response. A form counts by its file, because each client invents another boundary. The file of a call counts by its digest and its type.
 */
async function hashRequest(
  { kind, value, octets }: SentInput,
  { query, file }: ToolJob,
  type: string,
  { digest }: Sources,
): Promise<Uint8Array> {
  const fields =
    typeof value === "object" && value !== null
      ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
      : value;
  const sent = [kind, query.split("&").sort(), type, fields];
  const text = JSON.stringify(file === undefined ? sent : [...sent, file.type, file.sha256]);
  const head = encodeUtf8(text);
  return digest("sha256", octets === null ? head : concatBytes(head, octets));
}

/** A runtime's own digest needs all bytes at once; a large response is hashed piece by piece. */
async function hashResponse(
  body: string | Uint8Array | LargeText,
  { digest }: Sources,
): Promise<Uint8Array> {
  if (typeof body === "string") return digest("sha256", encodeUtf8(body));
  if (body instanceof Uint8Array) return digest("sha256", body);
  const hash = sha256.create();
  for (const piece of body.pieces()) hash.update(piece);
  return hash.digest();
}

/** JSON is null. It is the default and wins ties. */
type ResponseForm = Representation | null;

/**
 * Chooses the form of the response. `sent` has the fields that the client sent, after the check of the input. Throws an
 * ApiError `not_acceptable` where `Accept` allows neither JSON nor another form that agrees with those fields.
 */
export function chooseForm(
  tool: Tool<unknown>,
  accept: string,
  sent: Record<string, unknown>,
): ResponseForm {
  const ranges = parseAccept(accept);
  const chosen = findForm(tool, ranges, sent);
  if (chosen === undefined) throw notAcceptable(tool, accept, ranges, sent);
  return chosen;
}

/**
 * The fields of the form that `Accept` asks for, where no field that the client sent contradicts it. They are part of the
 * input before its check: a field may be good with one format only.
 */
const fieldsOfAccept = (
  tool: Tool<unknown>,
  accept: string,
  sent: Record<string, unknown>,
): object | undefined => findForm(tool, parseAccept(accept), sent)?.fields;

const formsOf = (tool: Tool<unknown>) => (tool.representations ?? []) as readonly Representation[];

function findForm(
  tool: Tool<unknown>,
  ranges: readonly Range[],
  sent: Record<string, unknown>,
): ResponseForm | undefined {
  if (ranges.length === 0) return null;
  let chosen: ResponseForm | undefined;
  let best = 0;
  for (const form of [null, ...formsOf(tool)]) {
    const weight = weightOf(form?.type ?? "application/json", ranges);
    if (weight <= best || (form !== null && conflictOf(form, sent) !== undefined)) continue;
    best = weight;
    chosen = form;
  }
  return chosen;
}

function notAcceptable(
  tool: Tool<unknown>,
  accept: string,
  ranges: readonly Range[],
  sent: Record<string, unknown>,
): ApiError {
  const forms = formsOf(tool);
  for (const form of forms) {
    const conflict = conflictOf(form, sent);
    if (conflict === undefined || weightOf(form.type, ranges) === 0) continue;
    return new ApiError(
      "not_acceptable",
      `Accept asks for ${form.type}, but \`${conflict}\` is \`${sent[conflict]}\`. Leave one of them out.`,
    );
  }
  const types = ["application/json", ...forms.map(({ type }) => type)];
  return new ApiError(
    "not_acceptable",
    `${tool.name} cannot respond with "${accept.slice(0, 100)}". It responds with ${types.join(", ")}.`,
  );
}

/** The first field whose value the form contradicts. */
function conflictOf(form: Representation, sent: Record<string, unknown>): string | undefined {
  const fields = form.fields as Record<string, unknown> | undefined;
  if (fields === undefined) return undefined;
  return Object.keys(fields).find((name) => name in sent && sent[name] !== fields[name]);
}

/** `precision` is 2 for a type, 1 for `text/*`, 0 for everything. */
type Range = { name: string; precision: number; weight: number };

/** Ignores what is malformed, and every parameter but the weight. */
function parseAccept(accept: string): Range[] {
  const ranges: Range[] = [];
  for (const part of accept.toLowerCase().split(",").slice(0, RANGES_MAX)) {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim());
    const match = /^(\*\/\*|[^\s/*]+\/(?:\*|[^\s/*]+))$/.exec(range);
    if (match === null) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    const precision = range === "*/*" ? 0 : range.endsWith("/*") ? 1 : 2;
    ranges.push({
      name: precision === 2 ? range : range.slice(0, -1),
      precision,
      weight: Number.isNaN(weight) ? 1 : weight,
    });
  }
  return ranges;
}

/** Browsers send about ten. */
const RANGES_MAX = 100;

/** The weight of the most precise range that covers a type; 0 where it is not accepted. */
function weightOf(type: string, ranges: readonly Range[]): number {
  let precision = -1;
  let weight = 0;
  for (const range of ranges) {
    const covers =
      range.precision === 0 ||
      (range.precision === 2 ? range.name === type : type.startsWith(range.name));
    if (!covers || range.precision <= precision) continue;
    precision = range.precision;
    weight = range.weight;
  }
  return weight;
}

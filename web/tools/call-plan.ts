import { type CallShown, queryOf, traitsOf, withQuery } from "#site/request-code.ts";
import { toBase64 } from "#tools/base64.ts";
import type { Tool } from "#tools/define-tool.ts";
import { utf8LengthOver } from "#tools/text.ts";
import type { ChosenFile } from "./chosen-file.ts";
import { requestText, sentValues, withoutSecrets } from "./request-text.ts";
import { type FieldValues, isWholeBody, mainFieldOf, type ToolField } from "./tool-fields.ts";

/** The content of a form: the values, and the file that stands for the main field. */
export type Inputs = { values: FieldValues; file: ChosenFile | null };

/** A call as it is sent: to the API, or to the same code in this page. */
export type CallBody = { body: Uint8Array<ArrayBuffer>; contentType: string; query: string };

/** Null for a file that the API does not take because of its size. */
export function planCall(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  { values, file }: Inputs,
): CallBody | null {
  if (file === null || file.text !== null) {
    const body = new TextEncoder().encode(requestText(fields, values));
    return { body, contentType: JSON_TYPE, query: "" };
  }
  if (file.bytes === null) return null;
  const others = otherValues(tool, fields, values);
  if (!hasSecret(fields, values)) {
    return { body: file.bytes, contentType: OCTETS, query: queryOf(others) };
  }
  // URLs are logged, so a secret is in a body of JSON, and the file with it.
  const text = JSON.stringify({ base64: toBase64(file.bytes), ...others });
  return { body: new TextEncoder().encode(text), contentType: JSON_TYPE, query: "" };
}

const JSON_TYPE = "application/json";
const OCTETS = "application/octet-stream";

/** Longer texts are unreadable in code, and some shells reject them. The code then reads them from a file. */
const INLINE_BYTES_MAX = 2048;

export type ShownCall = {
  call: CallShown;
  /** What to save as a file so that the code works; null where the code needs none, or the file is the user's own. */
  fileContent: { name: string; text: string } | null;
  hasSecret: boolean;
};

/** The same call as code. Secrets are replaced: code ends up in histories and repositories. */
export function showCall(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  inputs: Inputs,
  url: string,
): ShownCall {
  const { call, ...others } = showRequest(tool, fields, inputs, url);
  return { call: { ...call, ...traitsOf(tool) }, ...others };
}

function showRequest(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  inputs: Inputs,
  url: string,
): ShownCall {
  const { values, hasSecret: secret } = withoutSecrets(fields, inputs.values);
  const main = mainFieldOf(tool, fields);
  const others = otherValues(tool, fields, values);
  const shownAs = (name: string, type: string): CallShown =>
    secret
      ? { url, file: { name, type, fields: others } }
      : { url: withQuery(url, others), file: { name, type } };
  const { file } = inputs;
  if (file !== null && file.text === null) {
    return { call: shownAs(file.name, OCTETS), fileContent: null, hasSecret: secret };
  }
  const text = main === undefined ? "" : String(values[main] ?? "");
  if (main !== undefined && (utf8LengthOver(text, INLINE_BYTES_MAX) || text.includes("\0"))) {
    const [extension, type] = fileKindOf(tool, fields);
    const name = file?.name ?? `input.${extension}`;
    const fileContent = file === null ? { name, text } : null;
    return { call: shownAs(name, type), fileContent, hasSecret: secret };
  }
  if (!isWholeBody(fields)) {
    const body = sentValues(fields, values);
    const isEmpty = tool.body === "optional" && Object.keys(body).length === 0;
    return {
      call: { url, body: isEmpty ? undefined : body },
      fileContent: null,
      hasSecret: secret,
    };
  }
  const call = text.trim() === "" ? { url, body: undefined } : { url, json: text };
  return { call, fileContent: null, hasSecret: false };
}

function fileKindOf(
  { rawBody }: Tool<unknown>,
  fields: readonly ToolField[],
): [extension: string, type: string] {
  if (isWholeBody(fields)) return ["json", JSON_TYPE];
  if (rawBody?.types.includes("text/markdown")) return ["md", "text/markdown"];
  return ["txt", rawBody?.octets === true ? OCTETS : "text/plain"];
}

/** The values besides the main field. */
function otherValues(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  values: FieldValues,
): Record<string, unknown> {
  const main = mainFieldOf(tool, fields);
  return sentValues(
    fields.filter(({ name }) => name !== main),
    values,
  );
}

const hasSecret = (fields: readonly ToolField[], values: FieldValues): boolean =>
  fields.some(({ kind, name }) => kind === "secret" && Boolean(values[name]));

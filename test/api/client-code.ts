/**
 * Code that uses generated clients, as a user would write it: a call of each tool, an error, and what must not compile. Each is
 * a module whose `callEverything` returns the results. They are texts, because what they import does not exist before the
 * test has generated it.
 */

/** What each module returns: the same calls give the same results through every client. */
export type Results = {
  html: string;
  svg: string;
  hash: string;
  uuids: string[];
  echoed: unknown;
  balance: number;
  /** Code and pointer of an error. */
  fault: [string, string | undefined];
  /** The balance and the price in an error of another kind. */
  credits: [number | undefined, number | undefined];
};

/** Beside each module. As a whole path it would name a file of this folder. */
const GENERATED = "./";

const SHAPE = `
type Results = {
  html: string; svg: string; hash: string; uuids: string[]; echoed: unknown; balance: number;
  fault: [string, string | undefined]; credits: [number | undefined, number | undefined];
};
type Fetch = (request: Request) => Promise<Response>;
`;

const resultsOf = (problem: "data" | "error") => `
  const problem: Problem = fault.${problem};
  return {
    html: page.data.html, svg: code.data.output, hash: hash.data.hash, uuids: uuid.data.uuids,
    echoed: echo.data.body, balance: account.data.balance,
    fault: [problem.code, problem.errors?.[0]?.pointer], credits: [poor.${problem}.balance, poor.${problem}.price],
  };`;

export const OPENAPI_TYPESCRIPT = `
import createClient from "openapi-fetch";
import type { components, paths } from "${GENERATED}openapi-typescript.ts";
type Problem = components["schemas"]["Problem"];
${SHAPE}
export async function callEverything(baseUrl: string, key: string, poorKey: string, fetch: Fetch): Promise<Results> {
  const clientOf = (token: string) =>
    createClient<paths, "application/json">({ baseUrl, fetch, headers: { Authorization: \`Bearer \${token}\` } });
  const client = clientOf(key);
  const page = await client.POST("/api/v1/markdown-render", { body: { markdown: "# Hello" } });
  const code = await client.POST("/api/v1/qr-code", { body: { text: "hello", format: "svg" } });
  const hash = await client.POST("/api/v1/hash", { body: { text: "hello" } });
  const uuid = await client.POST("/api/v1/uuid", { headers: { "Idempotency-Key": "order-4711" } });
  const echo = await client.POST("/api/v1/echo", { body: { any: ["value"] } });
  const account = await client.GET("/api/v1/account");
  const fault = await client.POST("/api/v1/uuid", { body: { count: 501 } });
  const poor = await clientOf(poorKey).POST("/api/v1/uuid");
  if (!page.data || !code.data || !hash.data || !uuid.data || !echo.data || !account.data) throw new Error();
  if (!fault.error || !poor.error) throw new Error();
${resultsOf("error")}
}

export const rejected = (client: ReturnType<typeof createClient<paths, "application/json">>) => [
  // @ts-expect-error a misspelt field
  () => client.POST("/api/v1/markdown-render", { body: { markdwon: "hello" } }),
  // @ts-expect-error a missing field
  () => client.POST("/api/v1/markdown-render", { body: {} }),
  // @ts-expect-error an unknown value
  () => client.POST("/api/v1/qr-code", { body: { text: "a", format: "gif" } }),
  // @ts-expect-error an unknown parameter
  () => client.POST("/api/v1/hash", { params: { query: { algoritm: "sha1" } }, body: { text: "a" } }),
];
// A value that a later version adds is a value like any other.
export const tomorrow: components["schemas"]["HashTextResult"]["algorithm"] = "SHA3";
export const code: Problem["code"] = "of_tomorrow";
`;

/** The functions of both generators below have the same names, and take the same bodies. */
const FUNCTIONS = ["renderMarkdown", "createQrCode", "hashText", "generateUuids", "echoJson"];

export const HEY_API = `
import { ${FUNCTIONS.join(", ")}, getAccount } from "${GENERATED}hey-api/index.ts";
import { client } from "${GENERATED}hey-api/client.gen.ts";
import type { HashTextResult, Problem } from "${GENERATED}hey-api/types.gen.ts";
${SHAPE}
export async function callEverything(baseUrl: string, key: string, poorKey: string, fetch: Fetch): Promise<Results> {
  client.setConfig({ baseUrl, auth: key, fetch: fetch as typeof globalThis.fetch });
  const page = await renderMarkdown({ body: { markdown: "# Hello" } });
  const code = await createQrCode({ body: { text: "hello", format: "svg" } });
  const hash = await hashText({ body: { text: "hello" } });
  const uuid = await generateUuids({ headers: { "Idempotency-Key": "order-4711" } });
  const echo = await echoJson({ body: { any: ["value"] } });
  const account = await getAccount();
  const fault = await generateUuids({ body: { count: 501 } });
  const poor = await generateUuids({ auth: poorKey });
  if (!page.data || !code.data || !hash.data || !uuid.data || !echo.data || !account.data) throw new Error();
  if (!fault.error || !poor.error) throw new Error();
${resultsOf("error")}
}

export const rejected = [
  // @ts-expect-error a misspelt field
  () => hashText({ body: { txt: "hello" } }),
  // @ts-expect-error a missing field
  () => renderMarkdown({ body: {} }),
  // @ts-expect-error an unknown value
  () => createQrCode({ body: { text: "a", format: "gif" } }),
  // @ts-expect-error an unknown parameter
  () => hashText({ query: { algoritm: "sha1" }, body: { text: "a" } }),
];
export const tomorrow: HashTextResult["algorithm"] = "SHA3";
export const code: Problem["code"] = "of_tomorrow";
`;

/** Orval's functions call the global `fetch`, and return the status with the body. */
export const ORVAL = `
import { ${FUNCTIONS.join(", ")}, getAccount } from "${GENERATED}orval.ts";
import type { HashTextResult, Problem } from "${GENERATED}orval.ts";
${SHAPE}
export async function callEverything(_baseUrl: string, key: string, poorKey: string, _fetch: Fetch): Promise<Results> {
  const headers = { Authorization: \`Bearer \${key}\` };
  const page = await renderMarkdown({ markdown: "# Hello" }, { headers });
  const code = await createQrCode({ text: "hello", format: "svg" }, { headers });
  const hash = await hashText({ text: "hello" }, { headers });
  const uuid = await generateUuids(undefined, { headers: { ...headers, "Idempotency-Key": "order-4711" } });
  const echo = await echoJson({ any: ["value"] }, { headers });
  const account = await getAccount({ headers });
  const fault = await generateUuids({ count: 501 }, { headers });
  const poor = await generateUuids({}, { headers: { Authorization: \`Bearer \${poorKey}\` } });
  if (page.status !== 200 || code.status !== 200 || hash.status !== 200) throw new Error();
  if (uuid.status !== 200 || echo.status !== 200 || account.status !== 200) throw new Error();
  if (fault.status !== 400 || poor.status !== 402) throw new Error();
${resultsOf("data")}
}
export const tomorrow: HashTextResult["algorithm"] = "SHA3";
export const code: Problem["code"] = "of_tomorrow";
`;

import { randomBytes } from "node:crypto";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { hostname, userInfo } from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { quotedCommand } from "#command-line.ts";
import type { Config } from "#config/config.ts";
import { randomBase62 } from "#ids.ts";
import {
  type FileOperation,
  type JsonOperation,
  type Operation,
  pathOf,
  responseOf,
} from "#operator/operation.ts";
import { SOCKET_PATH_TOO_LONG, socketPathOf } from "../node/socket-path.ts";
import { CommandError } from "./command-error.ts";
import { cut } from "./text.ts";

/** Sends operations to the server of a data folder, through its socket, or to a service on the network. */
export type Client = {
  send<Input extends z.ZodObject, Output extends z.ZodType>(
    // biome-ignore lint/suspicious/noExplicitAny: what the operation finds is the server's.
    operation: JsonOperation<Input, Output, any>,
    input: z.input<Input>,
  ): Promise<z.output<Output>>;
  /** Resolves when the response begins. Its body throws if the connection is lost before the end. */
  open<Input extends z.ZodObject, Output extends z.ZodType>(
    // biome-ignore lint/suspicious/noExplicitAny: what the operation finds is the server's.
    operation: FileOperation<Input, Output, any>,
    input: z.input<Input>,
  ): Promise<{ result: z.output<Output>; body: AsyncIterable<Uint8Array> }>;
};

/** A service that is reached over the network, and the operator's token for it. */
export type Remote = { url: string; token: string };

/** The audit and the copy of a large database take minutes. */
const SILENCE_MAX_MS = 10 * 60_000;
/** Pauses before retries. An order has an id, so the service carries it out only once. */
const RETRY_PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** An attempt that took longer is not repeated: the service may still be making the copy or the audit, and would begin another one. */
const RETRY_WITHIN_MS = 60_000;
/** If a service asks for a longer pause, the command fails. */
const RETRY_PAUSE_MAX_MS = 10_000;

/** `log` gets the service's messages for the operator. */
export function createClient(
  remote: Remote | null,
  config: Pick<Config, "dataDir" | "databaseUrl">,
  log: (line: string) => void,
  pausesMs: readonly number[] = RETRY_PAUSES_MS,
  retryWithinMs = RETRY_WITHIN_MS,
): Client {
  const place = remote?.url ?? config.dataDir;
  let hasResponded = false;

  /** `take` reads what the attempt needs of the response, so that a response that breaks off is a lost one. */
  async function ask<Taken>(
    operation: Operation,
    input: unknown,
    take: (response: IncomingMessage) => Promise<Taken>,
  ): Promise<Taken> {
    const target = remote === null ? socketOf(config) : targetOf(remote);
    const body = JSON.stringify(input);
    const orderId = randomBase62(22, randomBytes);
    let mayBeDone = false;
    for (let tries = 0; ; tries += 1) {
      const startedAt = performance.now();
      const failure = await attempt(target, operation, orderId, body, take);
      if ("taken" in failure) return failure.taken;
      mayBeDone ||= operation.action !== null && failure.mayBeDone;
      const pauseMs = Math.max(failure.pauseMs, pausesMs[tries] ?? 0);
      const isQuick = performance.now() - startedAt < retryWithinMs;
      const canRetry = failure.canRetry || (hasResponded && failure.isLost);
      if (isQuick && canRetry && tries < pausesMs.length && pauseMs <= RETRY_PAUSE_MAX_MS)
        await sleep(pauseMs);
      else if (!mayBeDone) throw failure.error;
      else throw new CommandError(`${failure.error.message} ${MAY_BE_DONE}`);
    }
  }

  async function attempt<Taken>(
    target: RequestOptions,
    operation: Operation,
    orderId: string,
    body: string,
    take: (response: IncomingMessage) => Promise<Taken>,
  ) {
    const headers = {
      ...{ ...target.headers, "Content-Type": "application/json", "Idempotency-Key": orderId },
      ...{ "Toolbooth-Operator": userName(), "Content-Length": Buffer.byteLength(body) },
    };
    const options = {
      ...target,
      method: "POST",
      path: `${target.path ?? ""}${pathOf(operation)}`,
      headers,
    };
    try {
      const response = await exchange(options, body);
      if (response.statusCode === 200) {
        hasResponded = true;
        return { taken: await take(response) };
      }
      return await failureOf(response, place);
    } catch (error) {
      const isUnreachable = UNREACHABLE.includes(codeOf(error)) || isTlsCode(codeOf(error));
      const message =
        remote === null && NO_SERVER.includes(codeOf(error))
          ? await explainNoServer(config)
          : remote === null && codeOf(error) === "EACCES"
            ? notYours(place)
            : explainNoResponse(error, place);
      return {
        ...{ error: new CommandError(message), isLost: true, pauseMs: 0 },
        ...{ canRetry: !isUnreachable, mayBeDone: !isUnreachable },
      };
    }
  }

  function read<Output extends z.ZodType>(
    operation: Pick<Operation, "action"> & { output: Output },
    text: string,
  ) {
    const parsed = responseOf(operation.output).safeParse(parseJson(text));
    if (!parsed.success)
      throw new CommandError(
        `The server at ${place} has a different version than this command line. Use the command line of its version.${operation.action === null ? "" : ` ${MAY_BE_DONE}`}`,
      );
    const { result, messages } = parsed.data as { result: z.output<Output>; messages: string[] };
    for (const message of messages) log(message);
    return result;
  }

  return {
    async send(operation, input) {
      return read(operation, await ask(operation, input, (response) => readText(response)));
    },
    async open(operation, input) {
      const response = await ask(operation, input, async (begun) => begun);
      const header = String(response.headers["toolbooth-result"] ?? "");
      return {
        result: read(operation, decodeURIComponent(header)),
        body: explained(response, place),
      };
    },
  };
}

/** Another run is another order: it grants credits again, and makes another key. */
const MAY_BE_DONE = `The command may have been carried out. Before you run it again, check with ${quotedCommand("actions")}.`;

const exchange = (options: RequestOptions, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = options.protocol === "https:" ? requestHttps : requestHttp;
    const sent = send({ ...options, timeout: SILENCE_MAX_MS, agent: false }, resolve);
    sent.on("timeout", () => sent.destroy(Object.assign(new Error(), { code: "ETIMEDOUT" })));
    // A server that switches protocols (101) causes neither a response nor an error.
    sent.on("close", () => reject(Object.assign(new Error(), { code: "ECONNRESET" })));
    sent.on("error", reject).end(body);
  });

async function* explained(body: AsyncIterable<Uint8Array>, place: string) {
  try {
    yield* body;
  } catch (error) {
    throw new CommandError(
      `The connection to ${place} was lost before the end (${codeOf(error)}). No file was written. Run the command again; the server's log says why, if it was the server.`,
    );
  }
}

const targetOf = ({ url, token }: Remote): RequestOptions => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return {
    ...{ protocol, host, port, path: pathname.replace(/\/$/, "") },
    headers: { Authorization: `Bearer ${token}` },
  };
};

/** Anyone who can write to the folder could put a socket there, so the folder and the socket must be this user's or root's. */
function socketOf(config: Pick<Config, "dataDir">): RequestOptions {
  const { dataDir } = config;
  const socketPath = socketPathOf(dataDir);
  if (socketPath === null) throw new CommandError(SOCKET_PATH_TOO_LONG);
  const uid = process.getuid?.();
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (uid === undefined || folder === undefined) return { socketPath };
  const socket = lstatSync(socketPath, { throwIfNoEntry: false });
  const owner = [folder, socket].find((found) => found && found.uid !== uid && found.uid !== 0);
  if (owner !== undefined)
    throw new CommandError(
      `The data folder ${dataDir} belongs to another user (uid ${owner.uid}), who could read what a command sends. Run the command as that user, such as with sudo -u.`,
    );
  if ((folder.mode & 0o002) !== 0)
    throw new CommandError(
      `Every user may write to the data folder ${dataDir}, so anyone could pretend to be its server. Run \`chmod o-w ${dataDir}\`.`,
    );
  return { socketPath };
}

/** The user of the operating system. In a container the user may have no name, only a number. */
export function userName(): string {
  try {
    return (
      userInfo()
        .username.replaceAll(/[^\x21-\x7e]/g, "_")
        .slice(0, 60) || "unknown"
    );
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

const NO_SERVER = ["ENOENT", "ECONNREFUSED", "ENOTDIR", "ENOTSOCK"];

async function explainNoServer({
  dataDir,
  databaseUrl,
}: Pick<Config, "dataDir" | "databaseUrl">): Promise<string> {
  // Imported here because it loads SQLite.
  const { findServer } = await import("../node/server-lock.ts");
  let server: string | null;
  try {
    server = findServer(dataDir);
  } catch {
    return notYours(dataDir);
  }
  const isElsewhere = server !== null || hostOfServer(dataDir) !== hostname();
  if (databaseUrl === null && !isElsewhere)
    return `No server is running on the data folder ${dataDir}. Start one with ${quotedCommand("start")}, then run the command again.`;
  return `The ${server ?? "server"} of the data folder ${dataDir} cannot be reached from here${databaseUrl === null ? "" : ", and a command reaches PostgreSQL only through a server"}. Run the command where a server runs, such as with docker compose exec, or name the service with --remote.`;
}

const notYours = (dataDir: string) =>
  `This user may not open the files of the data folder ${dataDir}. Run the command as the user that runs the server, such as with sudo -u.`;

/** The host in `server.json`, which a server writes; this one without the file. */
function hostOfServer(dataDir: string): string {
  try {
    return String(JSON.parse(readFileSync(path.join(dataDir, "server.json"), "utf8")).host);
  } catch {
    return hostname();
  }
}

const UNREACHABLE = [
  ...NO_SERVER,
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EACCES",
];
const isTlsCode = (code: string) => /CERT|TLS|SSL|SELF_SIGNED|ISSUER|ERR_OSSL|EPROTO/.test(code);
const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? error);

function explainNoResponse(error: unknown, place: string): string {
  const code = codeOf(error);
  const host = URL.parse(place)?.host ?? place;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The host ${host} cannot be resolved. Check the URL after --remote.`;
  if (UNREACHABLE.includes(code))
    return `Cannot connect to ${place} (${code}). Check the URL after --remote, and that the service is running.`;
  if (isTlsCode(code))
    return `The connection to ${place} is not secure (${code}), so the token was not sent. Check the certificate of ${host} and the URL.`;
  return `The connection to ${place} failed (${code}). Try again later.`;
}

/** Explains a response that is not a success. */
async function failureOf(response: IncomingMessage, place: string) {
  const { statusCode: status = 0, headers } = response;
  const text = await readText(response);
  const problem = parseJson(text) as { code?: string; detail?: string } | null;
  const seconds = Number(headers["retry-after"] ?? 0);
  const message = explainResponse(status, headers, problem, place, text);
  return {
    ...{ error: new CommandError(message), isLost: false },
    ...{ pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : 0 },
    ...{ canRetry: status >= 500 || status === 429 },
    mayBeDone: status >= 500 && problem?.code !== "unavailable",
  };
}

function explainResponse(
  status: number,
  { location = "", "content-type": type = "" }: IncomingMessage["headers"],
  problem: { code?: string; detail?: string } | null,
  place: string,
  text: string,
): string {
  if (status >= 300 && status < 400) {
    const target = URL.parse(location, place)?.origin ?? "another address";
    return `${place} redirects to ${target}. The command line sends the token only to the URL that you give. If that address is the service, use --remote ${target}.`;
  }
  if (problem?.code === "wrong_token")
    return `${place} rejects this token. Set TOOLBOOTH_OPERATOR_TOKEN to the value that the server has or, at the edge, the Worker toolbooth-site.`;
  if (problem?.code === "not_found" && status === 404)
    return `${place} has no such operation. Check the URL, set TOOLBOOTH_OPERATOR_TOKEN for the server or, at the edge, for the Worker toolbooth-site, and use the command line of its version.`;
  if (problem?.detail !== undefined) return printable(problem.detail);
  // A Worker with invalid settings responds with plain text.
  if (status === 503 && /^text\/plain/.test(type) && text !== "")
    return `${place} responded: ${printable(text)}`;
  return `The response from ${place} is not from Toolbooth's operator API (status ${status}). Check the URL after --remote, and that the service has the same version.`;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

/** Removes control characters, because the text comes from an unknown server and goes to a terminal. */
const printable = (text: string) =>
  cut(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), 1_000);

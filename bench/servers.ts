import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { bareEnvironment } from "../test/support/bare-environment.ts";
import { CREDITS } from "./ledger-accounts.ts";
import { makeFolder, type Started, settle, startNode } from "./processes.ts";

/** The measured servers, each in its own process on a free port of 127.0.0.1, with a key for each account. */
export type Server = Started & { port: number; keys: readonly string[] };

const OPERATOR_TOKEN = randomBytes(32).toString("hex");

/** The first start builds the pages, on a machine that may be busy. */
const START_TIMEOUT_MS = 120_000;

/** It ignores the key, but gets one of the same length as the others. */
export const startBareServer = (accounts: number): Promise<Server> =>
  startPeer("bare-node-http.ts", accounts);

/** The build creates the accounts when it starts. */
export const startExpressServer = (accounts: number): Promise<Server> =>
  startPeer("express-server.ts", accounts);

async function startPeer(file: string, accounts: number): Promise<Server> {
  const { folder, remove } = makeFolder();
  const keys = Array.from({ length: accounts }, (_, i) => `peer_${i}_`.padEnd(57, "x"));
  const started = startNode([path.join(import.meta.dirname, "peers", file), folder, ...keys], {
    env: { ...bareEnvironment(), NODE_ENV: "production" },
  });
  const [, port] = await announcementOf(started, /127\.0\.0\.1:(\d+)/);
  return { ...withRemoval(started, remove), port: Number(port), keys };
}

/** What a first start prints: its address, which was 127.0.0.1 in earlier commits, and a call with the key of the demo account. */
const ANNOUNCEMENT = /(?:localhost|127\.0\.0\.1):(\d+)[\s\S]*Bearer (\w+)/;

/**
 * Starts the checkout in `root` as `npm start` does, on an empty data folder and without a rate limit. It is used through
 * HTTP only, so that any version of the source can be measured.
 */
export async function startToolbooth(root: string, accounts: number): Promise<Server> {
  const { folder, remove } = makeFolder();
  const manifest = readFileSync(path.join(root, "package.json"), "utf8");
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  const started = startNode(scripts.start.split(" ").slice(1), {
    cwd: root,
    env: {
      ...bareEnvironment(),
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: folder,
      RATE_LIMIT: "0",
      TOOLBOOTH_STARTER_CREDITS: String(CREDITS),
      TOOLBOOTH_OPERATOR_TOKEN: OPERATOR_TOKEN,
    },
    stderr: "ignore",
  });
  const [, port, key = ""] = await announcementOf(started, ANNOUNCEMENT);
  await settle(started.pid);
  const keys = [key];
  while (keys.length < accounts) keys.push(await openAccount(Number(port), keys.length));
  return { ...withRemoval(started, remove), port: Number(port), keys };
}

/** Opens an account with a key as an operator, and returns the key. */
async function openAccount(port: number, number: number): Promise<string> {
  const email = `bench-${number}@example.com`;
  await operate(port, "account/create", { email, credits: CREDITS });
  return (await operate<{ key: string }>(port, "key/create", { email, label: "bench" })).key;
}

async function operate<Result>(port: number, path: string, input: object): Promise<Result> {
  const response = await fetch(`http://127.0.0.1:${port}/operator/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return ((await response.json()) as { result: Result }).result;
}

function withRemoval(started: Started, remove: () => void): Started {
  return { ...started, stop: () => started.stop().then(remove) };
}

/** Waits for the line that a server prints when it listens. */
function announcementOf({ child }: Started, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const fail = () => {
      child.kill("SIGKILL");
      reject(new Error(`${child.spawnargs.join(" ")} did not start. Run it to see why`));
    };
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    child.once("exit", fail);
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const found = pattern.exec(text);
      if (found === null) return;
      clearTimeout(timer);
      child.off("exit", fail);
      resolve(found);
    });
  });
}

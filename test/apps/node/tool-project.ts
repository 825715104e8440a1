/** A project of somebody who has installed Toolbooth: a folder with tools and the package. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, type TestContext } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const inCheckout = (file: string) => path.join(CHECKOUT, file);

/** The package as a project sees it. */
const PACKAGE = `export * from "${inCheckout("src/toolbooth.ts")}";
`;

export const WORD_COUNT = `import { defineTool, z } from "toolbooth";

export default defineTool({
  summary: "Counts the words of a text.",
  input: { text: z.string() },
  price: 1,
  effect: "none",
  run: ({ text }) => ({ words: text.split(/\\s+/).filter(Boolean).length }),
});
`;

/** `files`: by their path in the folder. */
export function toolProject(
  t: Pick<TestContext, "after">,
  files: Readonly<Record<string, string>>,
): string {
  const folder = temporaryFolder(t);
  const all = {
    "package.json": '{ "type": "module" }',
    "node_modules/toolbooth/package.json": '{ "type": "module", "exports": "./index.js" }',
    "node_modules/toolbooth/index.js": PACKAGE,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** What a tool's file has around its members. */
export const tool = (members: string): string => `import { defineTool, z } from "toolbooth";
export default defineTool({ summary: "A tool.", input: {}, price: 1, effect: "none", ${members} });
`;

/** The import of another file of the project. */
export const importOf = (names: string, file: string): string =>
  `import ${names} from ${JSON.stringify(file)}`;

/** Runs a command with the folder as the working directory. */
export const inFolder = (folder: string): readonly string[] => ["env", "-C", folder];

/** A server of the project, with the key of its demo account. */
export async function startProject(
  t: Pick<TestContext, "after">,
  folder: string,
  env: Record<string, string> = {},
) {
  const server = await startServer(
    t,
    { DATA_DIR: path.join(folder, "data"), ...env },
    inFolder(folder),
  );
  const key = await server.demoKey();
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  async function call(name: string, body: unknown = {}, more: Record<string, string> = {}) {
    const response = await fetch(`${server.base}/api/v1/${name}`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      charged: response.headers.get("credits-charged"),
      timing: response.headers.get("server-timing") ?? "",
      // biome-ignore lint/suspicious/noExplicitAny: what a response holds is what its test asserts.
      json: (await response.json()) as any,
    };
  }
  async function balance(): Promise<number> {
    const response = await fetch(`${server.base}/api/v1/account`, { headers });
    return ((await response.json()) as { balance: number }).balance;
  }
  const get = async (to: string) => (await fetch(`${server.base}${to}`)).text();
  async function askAgent(method: string, params: object = {}) {
    const response = await fetch(`${server.base}/mcp`, {
      method: "POST",
      headers: { ...headers, Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a response holds is what its test asserts.
    return (await response.json()) as any;
  }
  return { ...server, key, headers, call, balance, get, askAgent };
}

type Project = Awaited<ReturnType<typeof startProject>> & { readonly folder: string };

const FILES: Record<string, string> = {};
const SETTINGS: Record<string, string> = {};
let users = 0;
let started: Promise<Project> | undefined;
let closers: (() => unknown)[] = [];

/**
 * The server that the tests of own tools share: it has the tools of every file that calls this while it is loaded. Starts with the first
 * test that needs it, and ends after the last of these files. Its credits do not run out, and its log has every call.
 */
export function shareProject(
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {},
): () => Promise<Project> {
  Object.assign(SETTINGS, settings);
  for (const [name, text] of Object.entries(files)) {
    if ((FILES[name] ?? text) !== text) throw new Error(`two tests have a file ${name}`);
    FILES[name] = text;
  }
  users += 1;
  after(async () => {
    users -= 1;
    if (users > 0) return;
    for (const close of closers.reverse()) await close();
    [started, closers] = [undefined, []];
  });
  return () => {
    started ??= startShared();
    return started;
  };
}

/** The value of a secret of the shared project. */
export const SECRET = "s3cret-value-4711";

async function startShared(): Promise<Project> {
  const hooks: Pick<TestContext, "after"> = {
    after: (close) => void closers.push(close as () => unknown),
  };
  // As `npm init` may leave it: without a type.
  const folder = toolProject(hooks, { ...FILES, "package.json": '{ "name": "my-api" }' });
  const server = await startProject(hooks, folder, {
    ...{ RATE_LIMIT: "0", TOOLBOOTH_STARTER_CREDITS: "100000", TOOLBOOTH_LOG_LEVEL: "info" },
    ...{ UPSTREAM_TOKEN: SECRET, ...SETTINGS },
  });
  // Before its folder is removed.
  closers.push(() => server.end("SIGKILL"));
  // The first call of an account is free.
  await server.call("uuid");
  return { ...server, folder };
}

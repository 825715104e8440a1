/** A project of somebody who has installed Toolbooth: a folder with tools and the package. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
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
  return { ...server, key, headers, call, balance, get };
}

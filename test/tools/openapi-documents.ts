/**
 * How many OpenAPI documents of others become tools: `node test/tools/openapi-documents.ts <folder>` reads every JSON document of OpenAPI
 * 3 below the folder, makes tools of all its operations at once, and one call of each document against a stand-in that responds with what
 * the document describes. The documents are not in this repository: install packages of npm that have some, such as
 * `@readme/oas-examples`, `@octokit/openapi` and `@directus/specs`.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { requestOf } from "#site/first-call.ts";
import type { OwnToolContext } from "#tools/define-tool.ts";
import { toolsOf } from "#tools/from-openapi.ts";
import { ownTool } from "#tools/own-tool.ts";
import { fixedToolContext } from "../support/tool-context.ts";

type Doc = {
  openapi: string;
  paths?: Record<string, Record<string, unknown>>;
  components?: { securitySchemes?: Record<string, unknown> };
};

const METHODS = ["get", "post", "put", "patch", "delete"];

const [, , folder = "."] = process.argv;
const seen = new Set<string>();
let [documents, imported, called] = [0, 0, 0];
for (const file of globSync(path.join(folder, "**/*.json")).sort()) {
  const text = readFileSync(file, "utf8");
  const document = documentIn(text);
  if (document === null || seen.has(text)) continue;
  seen.add(text);
  documents += 1;
  const outcome = await tryDocument(document);
  if (outcome !== "no import") imported += 1;
  if (outcome === "called") called += 1;
  else console.log(`${path.relative(folder, file)}: ${outcome}`);
}
console.log(`${documents} documents, ${imported} imported, ${called} called`);

function documentIn(text: string): Doc | null {
  try {
    const document = JSON.parse(text) as Doc;
    const isOurs = /^3\.[01]\./.test(document.openapi) && document.paths !== undefined;
    return isOurs && operationsOf(document).length > 0 ? document : null;
  } catch {
    return null;
  }
}

function operationsOf({ paths = {} }: Doc): string[] {
  return Object.entries(paths).flatMap(([at, item]) =>
    METHODS.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${at}`),
  );
}

async function tryDocument(document: Doc): Promise<"no import" | "called" | string> {
  const prices = Object.fromEntries(operationsOf(document).map((name) => [name, 1]));
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const security = Object.fromEntries(schemes.map((name, at) => [name, `SECRET_${at}`]));
  let tools: ReturnType<typeof toolsOf>;
  try {
    tools = toolsOf(document, { prices, security, url: "http://127.0.0.1:9000" });
  } catch (error) {
    const reasons = (error as Error).message.split("\n");
    console.log(reasons.slice(0, 3).join("\n"));
    return "no import";
  }
  const reasons = new Map<string, number>();
  for (const [name, definition] of Object.entries(tools)) {
    const tool = ownTool(name, definition);
    const request = requestOf(tool) ?? {};
    const checked = tool.input.safeParse(request);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const reason = `${issue?.message}`;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      continue;
    }
    const context: Partial<OwnToolContext> = {
      ...fixedToolContext(),
      secrets: Object.fromEntries(Object.values(security).map((secret) => [secret, "value"])),
      fetch: async () => Response.json({}),
    };
    const response = (await tool.run(checked.data, context as OwnToolContext)) as Response;
    if (response.ok) return "called";
  }
  return `no call: ${[...reasons].map(([reason, count]) => `${count} × ${reason}`).join("; ")}`;
}

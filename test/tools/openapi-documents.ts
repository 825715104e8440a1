/**
 * How many OpenAPI documents of others become tools: `node test/tools/openapi-documents.ts <folder>` downloads the packages of npm that
 * `openapi-packages.txt` lists into the folder, unless they are there. It reads every document of OpenAPI 3 in them, in JSON or YAML, makes
 * tools of all its operations at once, and one call of each document against a stand-in that has the operations of the document and responds
 * with what it describes. `--max <n>`: so many documents of a package at most (3), because some have a hundred.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { requestOf } from "#site/first-call.ts";
import type { OwnToolContext, ToolDefinition } from "#tools/define-tool.ts";
import { toolsOf } from "#tools/from-openapi.ts";
import { ownTool } from "#tools/own-tool.ts";
import { fixedToolContext } from "../support/tool-context.ts";

type Doc = {
  openapi: string;
  paths?: Record<string, Record<string, unknown>>;
  components?: { securitySchemes?: Record<string, unknown> };
};
type Outcome = "called" | "imported" | "no";
type Counts = Record<Outcome, number>;

/** Larger ones are others without their references. */
const BYTES_MAX = 16_000_000;

const METHODS = ["get", "post", "put", "patch", "delete"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { max: { type: "string", default: "3" } },
});
const [folder = "."] = positionals;
for (const line of readFileSync(path.join(import.meta.dirname, "openapi-packages.txt"), "utf8")
  .trim()
  .split("\n"))
  download(line);
const seen = new Set<string>();
const byPackage = new Map<string, Counts>();
for (const file of globSync(path.join(folder, "**/*.{json,yaml,yml}")).sort()) {
  const shown = path.relative(folder, file);
  const [name = ""] = shown.split(path.sep);
  const counts = byPackage.get(name) ?? { called: 0, imported: 0, no: 0 };
  if (sumOf(counts) >= Number(values.max)) continue;
  const document = documentIn(file);
  // Many packages have a document as JSON and as YAML.
  const content = JSON.stringify(document);
  if (document === null || seen.has(content)) continue;
  seen.add(content);
  byPackage.set(name, counts);
  const [outcome, reason] = await tryDocument(document);
  counts[outcome] += 1;
  if (outcome !== "called")
    console.log(`${shown}: ${outcome === "no" ? "no import" : "no call"}: ${reason}`);
}
const total: Counts = { called: 0, imported: 0, no: 0 };
for (const [name, counts] of byPackage) {
  for (const outcome of Object.keys(total) as Outcome[]) total[outcome] += counts[outcome];
  console.log(`${name}: ${counts.called} of ${sumOf(counts)} called`);
}
console.log(
  `${byPackage.size} packages: ${sumOf(total)} documents, ${total.called + total.imported} imported, ${total.called} called`,
);

/** `packed`: name and version. */
function download(packed: string): void {
  const to = path.join(folder, packed.replaceAll(/[^\w.-]/g, "_"));
  if (existsSync(to)) return;
  mkdirSync(to, { recursive: true });
  const [file = ""] = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", packed], {
    ...{ cwd: to, encoding: "utf8" },
  }).split("\n");
  execFileSync("tar", ["-xzf", file], { cwd: to });
}

function sumOf({ called, imported, no }: Counts): number {
  return called + imported + no;
}

function documentIn(file: string): Doc | null {
  if (statSync(file).size > BYTES_MAX) return null;
  const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
  if (!/["']?openapi["']?\s*:\s*["']?3\.[01]\./.test(text)) return null;
  try {
    const document = (
      file.endsWith(".json") ? JSON.parse(text) : parse(text, { maxAliasCount: -1 })
    ) as Doc;
    const isOurs = /^3\.[01]\./.test(document.openapi) && document.paths !== undefined;
    return isOurs && operationsOf(document).length > 0 ? document : null;
  } catch {
    return null;
  }
}

function operationsOf({ paths = {} }: Doc): string[] {
  return Object.entries(paths).flatMap(([at, item]) =>
    METHODS.filter((method) => method in (item ?? {})).map(
      (method) => `${method.toUpperCase()} ${at}`,
    ),
  );
}

async function tryDocument(document: Doc): Promise<[Outcome, string]> {
  const prices = Object.fromEntries(operationsOf(document).map((name) => [name, 1]));
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const security = Object.fromEntries(schemes.map((name, at) => [name, `SECRET_${at}`]));
  // Schemes that no part of the document defines are the operator's to know.
  const headers = schemes.length === 0 ? { headers: { "X-Key": "value" } } : {};
  let tools: Record<string, ToolDefinition>;
  try {
    tools = toolsOf(document, { prices, security, ...headers, url: "http://127.0.0.1:9000" });
  } catch (error) {
    const reasons = (error as Error).message.split("\n");
    return [
      "no",
      `${reasons.length} of ${operationsOf(document).length}: ${reasons.slice(0, 2).join(" ")}`,
    ];
  }
  const reasons = new Map<string, number>();
  const secrets = Object.fromEntries(Object.values(security).map((secret) => [secret, "value"]));
  for (const [name, definition] of Object.entries(tools)) {
    const reason = await tryTool(document, ownTool(name, definition), secrets);
    if (reason === null) return ["called", ""];
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return ["imported", [...reasons].map(([reason, count]) => `${count} × ${reason}`).join("; ")];
}

/** Returns why a call fails; null if it does not. */
async function tryTool(
  document: Doc,
  tool: ReturnType<typeof ownTool>,
  secrets: Record<string, string>,
): Promise<string | null> {
  const checked = tool.input.safeParse(requestOf(tool) ?? {});
  if (!checked.success) return `${checked.error.issues[0]?.message}`;
  const response = requestOf({ ...tool, input: tool.output, body: "required", examples: [] });
  const context: Partial<OwnToolContext> = {
    ...fixedToolContext(),
    secrets,
    // It has the operations of the document alone.
    fetch: async (to, { method = "" } = {}) =>
      operationsOf(document).some((each) => isOf(each, method, new URL(String(to)).pathname))
        ? Response.json(response)
        : new Response(null, { status: 404 }),
  };
  try {
    const passed = (await tool.run(checked.data, context as OwnToolContext)) as Response;
    return passed.ok ? null : `responded with ${passed.status}`;
  } catch (error) {
    return `${(error as Error).message}: ${(error as Error).cause}`;
  }
}

function isOf(operation: string, method: string, pathname: string): boolean {
  const [verb, template = ""] = operation.split(" ");
  const parts = template.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[^\w/]/g, "\\$&"));
  return verb === method && new RegExp(`^${parts.join("[^/]+")}$`).test(decodeURI(pathname));
}

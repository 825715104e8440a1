/** What `import { … } from "toolbooth"` gives to tools of one's own: nothing else of the package may be imported. */

import { type OpenApiOptions, toolsOf } from "#tools/from-openapi.ts";

export { z } from "zod";
export {
  defineTool,
  type OwnToolContext,
  type Tool,
  type ToolContext,
} from "#tools/define-tool.ts";
export { forward } from "#tools/forward.ts";
export { InvalidInput } from "#tools/run-fault.ts";

/**
 * Returns a tool for each operation of an OpenAPI document that has a price: the default export of a file. `document`: the document, or
 * the path of a file with JSON or YAML from the project's folder. Throws a TypeError with everything that cannot be a tool.
 */
export const fromOpenApi = (document: string | object, options: OpenApiOptions) =>
  toolsOf(typeof document === "string" ? readDocument(document) : document, options);

/** Read as a module, so that `dev` watches it, and threads that start later have what was read first. */
function readDocument(file: string): unknown {
  try {
    const { createRequire } = process.getBuiltinModule("node:module");
    const { resolve } = process.getBuiltinModule("node:path");
    if (YAML_FILE.test(file)) readYamlAsModules();
    return createRequire(resolve("package.json"))(resolve(file));
  } catch (cause) {
    const { message } = cause as Error;
    throw new TypeError(
      `${file} cannot be read (${message.split("\n")[0]}). The path is from the project's folder. For Cloudflare, import the document as JSON.`,
    );
  }
}

const YAML_FILE = /\.ya?ml$/;
let readsYaml = false;

/** Hooks that were registered before see the text, and keep it for threads that start later. */
function readYamlAsModules(): void {
  if (readsYaml) return;
  readsYaml = true;
  const { createRequire, registerHooks } = process.getBuiltinModule("node:module");
  // Loaded late, because most tools do without it.
  const { parse } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return YAML_FILE.test(found.url) ? { ...found, format: "json" } : found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!YAML_FILE.test(url)) return loaded;
      const { source } = loaded;
      const text =
        typeof source === "string" ? source : new TextDecoder().decode(source as Uint8Array);
      return { ...loaded, source: JSON.stringify(parse(text, { merge: true, maxAliasCount: -1 })) };
    },
  });
}

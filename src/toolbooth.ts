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

/**
 * Returns a tool for each operation of an OpenAPI document that has a price: the default export of a file. `document`: the document, or
 * the path of a JSON file from the project's folder. Throws a TypeError with everything that cannot be a tool.
 */
export const fromOpenApi = (document: string | object, options: OpenApiOptions) =>
  toolsOf(typeof document === "string" ? readDocument(document) : document, options);

/** Read as a module, so that `dev` watches it, and threads that start later have what was read first. */
function readDocument(file: string): unknown {
  if (!file.endsWith(".json"))
    throw new TypeError(`${file} is not a JSON file; convert it, for example with \`npx yaml\`.`);
  try {
    const { createRequire } = process.getBuiltinModule("node:module");
    const { resolve } = process.getBuiltinModule("node:path");
    return createRequire(resolve("package.json"))(resolve(file));
  } catch (cause) {
    const { message } = cause as Error;
    throw new TypeError(
      `${file} cannot be read (${message.split("\n")[0]}). The path is from the project's folder. For Cloudflare, import the document.`,
    );
  }
}

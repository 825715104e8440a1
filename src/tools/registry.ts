import type { Tool } from "./define-tool.ts";
import { echo } from "./echo/tool.ts";
import { hash } from "./hash/tool.ts";
import { markdownRender } from "./markdown-render/tool.ts";
import { qrCode } from "./qr-code/tool.ts";
import { uuid } from "./uuid/tool.ts";

/** Every tool of the service, in the order of the specification. */
export const TOOLS: readonly Tool<unknown>[] = [markdownRender, qrCode, hash, uuid, echo];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** The tool of this name on the wire. */
export const findTool = (name: string): Tool<unknown> | undefined => BY_NAME.get(name);

export { checkInput } from "./check-input.ts";
export type { Tool, ToolContext } from "./define-tool.ts";
export { echo, hash, markdownRender, qrCode, uuid };

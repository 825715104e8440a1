import { echo } from "#tools/echo.ts";
import { hash } from "#tools/hash.ts";
import { markdownRender } from "#tools/markdown-render.ts";
import { qrCode } from "#tools/qr-code.ts";
import type { Tool } from "#tools/tool.ts";
import { uuid } from "#tools/uuid.ts";

/** Every tool of the service, in the order of the specification. */
export const TOOLS: readonly Tool<unknown>[] = [markdownRender, qrCode, hash, uuid, echo];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** The tool of this name on the wire. */
export const findTool = (name: string): Tool<unknown> | undefined => BY_NAME.get(name);

export { checkInput } from "#tools/check-input.ts";
export type { Supply, Tool } from "#tools/tool.ts";
export { echo, hash, markdownRender, qrCode, uuid };

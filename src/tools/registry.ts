import type { Tool } from "./define-tool.ts";
import echo from "./echo/tool.ts";
import hash from "./hash/tool.ts";
import markdownRender from "./markdown-render/tool.ts";
import qrCode from "./qr-code/tool.ts";
import uuid from "./uuid/tool.ts";

/**
 * The tools of the service, in the order in which lists and the documentation show them. Only the apps and the
 * build of the pages read this list; everything else gets its tools as an argument, so that a test can pass others.
 */
export const TOOLS: readonly Tool[] = [markdownRender, qrCode, hash, uuid, echo];

import type { Tool } from "./define-tool.ts";
import echo from "./echo/tool.ts";
import hash from "./hash/tool.ts";
import markdownRender from "./markdown-render/tool.ts";
import qrCode from "./qr-code/tool.ts";
import uuid from "./uuid/tool.ts";

/**
 * The tools of the service, in the order of lists and the documentation. Only the apps and the build of the pages read
 * this list. Everything else gets its tools as an argument, so that tests can pass others.
 */
export const TOOLS: readonly Tool[] = [markdownRender, qrCode, hash, uuid, echo];

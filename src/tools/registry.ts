import type { Tool } from "./define-tool.ts";
import echo from "./echo/tool.ts";
import hash from "./hash/tool.ts";
import markdownRender from "./markdown-render/tool.ts";
import qrCode from "./qr-code/tool.ts";
import uuid from "./uuid/tool.ts";

/**
 * The tools of the service, in the order in which lists and the documentation show them. Only a runtime's entry reads
 * this list and hands it on; everything else gets its tools as an argument, so that a test can hand in others.
 */
export const TOOLS: readonly Tool[] = [markdownRender, qrCode, hash, uuid, echo];

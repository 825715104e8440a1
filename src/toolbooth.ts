/** What `import { … } from "toolbooth"` gives to tools of one's own: nothing else of the package may be imported. */

export { z } from "zod";
export {
  defineTool,
  type OwnToolContext,
  type Tool,
  type ToolContext,
} from "#tools/define-tool.ts";
export { forward } from "#tools/forward.ts";

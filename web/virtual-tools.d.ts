/** Made from the tool registry by the plugin in vite.config.ts. */
declare module "virtual:tools" {
  /** Every tool in the order of the registry, as far as pages show it before the tool's code is loaded. */
  export const TOOL_LIST: readonly { name: string; title: string; summary: string }[];
}

declare module "virtual:tool-views" {
  import type { ComponentType } from "react";
  import type { ResultProps } from "./tools/plain-result.tsx";

  /** The views in `tools/<name>.tsx`, by the name of their tool. */
  export const RESULT_VIEWS: Readonly<Record<string, ComponentType<ResultProps>>>;
}

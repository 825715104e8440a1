/** Made from the tool registry by the plugin in vite.config.ts. */
declare module "virtual:tools" {
  /** Every tool in the order of the registry, as far as pages show it before the tool's code is loaded. */
  export const TOOL_LIST: readonly { name: string; title: string; summary: string }[];
}

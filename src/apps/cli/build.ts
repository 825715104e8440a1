import * as z from "zod";
import { buildCloudflare } from "../node/build-cloudflare.ts";
import { ToolsError } from "../node/tools-folder.ts";
import { type Command, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";

/** Builds of the current folder's service for other platforms, without a server. */

const BUILD_CLOUDFLARE = defineCommand({
  name: "build cloudflare",
  summary: "Build the service of the current folder for Cloudflare",
  details: [
    "It writes what Wrangler deploys to dist/edge: two Workers with the tools of tools/ and those that TOOLBOOTH_BUILT_IN_TOOLS names, their pages, and the tables of their database. If there is no wrangler.jsonc and wrangler.site.jsonc, it writes them too. A tool that needs Node is an error.",
    "It needs a package of the same version: npm install --save-dev toolbooth-cloudflare wrangler",
  ],
  example: "build cloudflare",
  input: z.object({}),
  isOnFiles: () => true,
  async run({ config, log }) {
    const built = await buildCloudflare(process.cwd(), config, log).catch((error) => {
      throw error instanceof ToolsError ? new CommandError(error.message) : error;
    });
    const { folder, tools, configs } = built;
    const lines = [`Wrote two Workers with ${tools.join(", ")} to ${folder}.`];
    if (configs.length > 0)
      lines.push(
        `Wrote ${configs.join(" and ")}. Put your address and the id of your database into them, and commit them; the page "Cloudflare" of the documentation says how to deploy.`,
      );
    return { json: { ok: true, ...built }, text: lines.map((line) => `${line}\n`).join("") };
  },
});

export const BUILD_COMMANDS: readonly Command[] = [BUILD_CLOUDFLARE];

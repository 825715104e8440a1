import { enableCompileCache } from "node:module";
import path from "node:path";

/** The operator's command line: `npm run toolbooth -- <command>`. */

// Reading TypeScript takes most of the time of a command without this cache. It lies beside the packages, because a user who can
// write there can run code. Without the permission to write there, nothing is cached.
enableCompileCache(path.join(import.meta.dirname, "../../../node_modules/.cache/toolbooth"));

// Imported after the cache is enabled, so that the cache covers it.
void import("./program.ts").then(async ({ runCommandLine }) => {
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  });
});

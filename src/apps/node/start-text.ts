import { commandLine } from "#command-line.ts";
import type { Config } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { firstCall } from "#site/first-call.ts";
import type { Tool } from "#tools/define-tool.ts";
import { isOwnMachine } from "./addresses.ts";
import { DataFolderError, TOO_MANY_FILES } from "./data-folder.ts";
import { StartupDatabaseError } from "./database-startup.ts";
import { welcome } from "./demo-account.ts";
import { TooFewOpenFiles } from "./open-files.ts";
import { version } from "./runtime.ts";
import { ToolsError } from "./tools-folder.ts";

/** What a start prints for the person who started it. */

export const say = (text: string) => void process.stdout.write(text);

/** Prints the start message to stdout. The log goes to stderr and never contains a key. */
export function announce(
  config: Config,
  at: {
    address: string;
    publicUrl: string;
    demoKey: string | null;
    tools: readonly Tool[];
    warnings: readonly string[];
  },
): void {
  say(`Toolbooth ${version} listens on ${at.address}\nDocumentation: ${at.publicUrl}/docs\n`);
  if (at.demoKey !== null) {
    say(welcome(at.demoKey, at.address, config.starterCredits, firstCall(at.tools)));
  }
  for (const warning of at.warnings) say(`${warning}\n`);
  if (isOwnMachine(config)) return;
  say(
    `To create an account and a key for the data in ${config.dataDir}:\n` +
      `  ${commandLine("account create", "you@example.com", "--credits", "1000")}\n` +
      `  ${commandLine("key create", "you@example.com", "--label", "production")}\n`,
  );
}

/** Returns why the server cannot start, and what to do. */
export function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof ConfigError) return `Invalid settings:\n${error.message}`;
  if (error instanceof ToolsError) return `The tools cannot be served:\n${error.message}`;
  const known = [DataFolderError, StartupDatabaseError, TooFewOpenFiles];
  if (known.some((kind) => error instanceof kind)) return error.message;
  if (error.code === "EADDRINUSE")
    return `Another process already listens on this address (${error.message}). Set PORT to another port.`;
  if (error.code === "EACCES")
    return `This user may not listen on this address (${error.message}). Set PORT to 1024 or more.`;
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"].includes(error.code ?? ""))
    return `HOST is not a local address (${error.message}).`;
  if (error.code === "EMFILE" || error.code === "ENFILE") return TOO_MANY_FILES;
  const isDebugging = process.env["TOOLBOOTH_LOG_LEVEL"] === "debug";
  const found = `The server cannot start because of an unexpected error (${error.message ?? error}). Please report it, with the lines that TOOLBOOTH_LOG_LEVEL=debug adds.`;
  return isDebugging ? `${found}\n${error.stack}` : found;
}

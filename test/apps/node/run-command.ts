/** Runs the command line in this process and returns what `toolbooth` prints with and without `--json`, its log and exit code. */
import { readArguments, readRemote } from "#apps/cli/arguments.ts";
import { findCommand } from "#apps/cli/commands.ts";
import { readConfig } from "#config/config.ts";
import { type Json, withRemote } from "../cli/fixture.ts";

/** A string is split at its spaces. Pass words that contain spaces as a list. */
export async function runHere(line: string | readonly string[], given: Record<string, string>) {
  const { words, env } = withRemote(typeof line === "string" ? line.split(" ") : line, given);
  const { command, rest } = findCommand(words);
  const { args, remote, json: isJson } = readArguments(command, rest);
  const config = readConfig(env);
  const log: string[] = [];
  const { json, text, exitCode } = await command.run(
    {
      config,
      json: isJson,
      now: Date.now(),
      remote: readRemote(command, remote, config),
      log: (line) => void log.push(line),
    },
    args,
  );
  return { json: json as Json, text, log, exitCode: exitCode ?? 0 };
}

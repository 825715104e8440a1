/** The command line in this process: what `toolbooth` prints with and without `--json`, its notes and its exit code. */

import { findCommand, readTyped } from "#apps/cli/arguments.ts";
import { COMMANDS } from "#apps/cli/commands.ts";
import { readRemote } from "#apps/cli/remote/address.ts";
import { readConfig } from "#config/config.ts";
import type { Json } from "../cli/fixture.ts";

/** A line is taken apart at its spaces; words that have some come as a list. */
export async function runHere(line: string | readonly string[], env: Record<string, string>) {
  const words = typeof line === "string" ? line.split(" ") : line;
  const { command, rest } = findCommand(words, COMMANDS);
  const { given, remote, json: isJson } = readTyped(command, rest);
  const config = readConfig(env);
  const notes: string[] = [];
  const { json, text, exitCode } = await command.run(
    {
      ...{ config, json: isJson, now: Date.now() },
      remote: readRemote(command, remote, config),
      note: (note) => void notes.push(note),
    },
    given,
  );
  return { json: json as Json, text, notes, exitCode: exitCode ?? 0 };
}

/** Runs the command line in this process and returns what `toolbooth` prints with and without `--json`, its log and exit code. */
import { runCommandLine } from "#apps/cli/program.ts";
import { type Json, withRemote } from "../cli/fixture.ts";

/** A string is split at its spaces. Pass words that contain spaces as a list. Rejects with the message of an error. */
export async function runHere(line: string | readonly string[], given: Record<string, string>) {
  const { words, env } = withRemote(typeof line === "string" ? line.split(" ") : line, given);
  const [text, log]: [string[], string[]] = [[], []];
  const exitCode = await runCommandLine(words, env, {
    stdout: (written) => void text.push(written),
    stderr: (written) => void log.push(written.trimEnd()),
  });
  const isJson = words.includes("--json");
  const json = (isJson ? JSON.parse(text.join("")) : {}) as Json;
  const said = log.filter((each) => !each.startsWith("For help"));
  const error = isJson ? json.error : text.length === 0 ? said.at(-1) : undefined;
  if (exitCode !== 0 && error !== undefined) throw new Error(error);
  return { json, text: text.join(""), log, exitCode };
}

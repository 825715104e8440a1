import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { writePrivateFile } from "../private-file.ts";
import type { Arguments } from "./arguments.ts";

/**
 * Remembers that `--replace-secret` has begun and has not ended, in a file beside the settings file. Between the two uploads the Workers
 * have different secrets. Without this record, a run without the option would keep them and report success. The file has no secret.
 */
const markerOf = (settingsFile: string) => `${settingsFile}.replacing-secret`;

const TEXT =
  "npm run deploy:edge is replacing SECRET in both Workers. Its next run continues, and deletes this file.\n";

export function beginReplacement(settingsFile: string): void {
  mkdirSync(path.dirname(settingsFile), { recursive: true, mode: 0o700 });
  writePrivateFile(markerOf(settingsFile), TEXT);
}

/** Both Workers have the new SECRET. */
export function endReplacement(settingsFile: string): void {
  rmSync(markerOf(settingsFile), { force: true });
}

/** Returns the arguments with `--replace-secret` if an earlier run with it did not end, and whether that is so. */
export function resumeReplacement(args: Arguments): { args: Arguments; isResumed: boolean } {
  const isResumed = !args.replaceSecret && existsSync(markerOf(args.settingsFile));
  return { args: isResumed ? { ...args, replaceSecret: true } : args, isResumed };
}

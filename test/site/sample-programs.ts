import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { LANGUAGES } from "#site/request-code.ts";
import { HANGS_MS } from "../support/deadline.ts";

/** Looks for a program of the machine by running it with an argument that ends at once. `skip`: why a test without it is skipped. */
function findProgram(name: string, argument: string): { program: string; skip: string | false } {
  const { status } = spawnSync(name, [argument], { stdio: "ignore", timeout: HANGS_MS });
  return { program: name, skip: status === 0 ? false : `${name} is not installed on this machine` };
}

/** `file`: where the code is written to; its name tells some programs the language. */
const PROGRAMS = {
  sh: { ...findProgram("curl", "--version"), program: "sh", file: "sample.sh" },
  js: { program: process.execPath, skip: false as const, file: "sample.mjs" },
  python: { ...findProgram("python3", "--version"), file: "sample.py" },
  go: { ...findProgram("go", "version"), file: "sample.go" },
  php: { ...findProgram("php", "--version"), file: "sample.php" },
};
export const PYTHON = PROGRAMS.python;
export const SHELL: Runnable = { id: "sh", ...PROGRAMS.sh };

/** The languages of samples, with what runs them on this machine. */
export const RUNNABLE = LANGUAGES.map((each) => ({ ...each, ...PROGRAMS[each.id] }));
export type Runnable = Omit<(typeof RUNNABLE)[number], "write" | "title">;

/** Runs the code of a sample in a folder. Its output is bytes. */
export function runSample(
  { id, program, file }: Runnable,
  code: string,
  { folder, env = {} }: { folder: string; env?: Record<string, string> },
) {
  writeFileSync(path.join(folder, file), code);
  return promisify(execFile)(program, id === "go" ? ["run", file] : [file], {
    cwd: folder,
    env: { ...process.env, TOOLBOOTH_KEY: "tb_key", NO_PROXY: "127.0.0.1", ...env },
    timeout: HANGS_MS,
    encoding: "buffer",
  });
}

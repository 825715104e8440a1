/**
 * `npm run check`: the types of all sources and the linter, two commands at a time, each with its own output. A command checks with one
 * checker: several resolve the same types once more each, which takes a third more CPU time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

const COMMANDS = [
  "tsc --checkers 1",
  "tsc -p web/tsconfig.json --checkers 1",
  "tsc -p tsconfig.pure.json --checkers 1",
  "biome check --error-on-warnings",
];
const waiting = COMMANDS.values();

async function runThem(): Promise<void> {
  for (const line of waiting) {
    const [command = "", ...args] = line.split(" ");
    const [code] = await once(spawn(command, args, { stdio: "inherit" }), "exit");
    if (code === 0) continue;
    process.stderr.write(`${line} failed.\n`);
    process.exitCode = 1;
  }
}
await Promise.all([runThem(), runThem()]);

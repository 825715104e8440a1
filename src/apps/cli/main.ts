import { runCommandLine } from "./program.ts";

/** The operator's command line: `npm run toolbooth -- <command>`. */
void runCommandLine(process.argv.slice(2), process.env, {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
}).then((exitCode) => {
  process.exitCode = exitCode;
});

import { explainSystem } from "./files.ts";
import { runCommandLine } from "./program.ts";

/** The reader has stopped, or the disk that it is written to is full. */
process.stdout.on("error", (error) => {
  process.stderr.write(`${explainSystem(error) ?? error.message}\n`);
  process.exit(1);
});

/** The operator's command line: `npm run toolbooth -- <command>`. */
void runCommandLine(process.argv.slice(2), process.env, {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
}).then((exitCode) => {
  process.exitCode = exitCode;
});

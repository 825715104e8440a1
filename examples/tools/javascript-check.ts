import { execFile } from "node:child_process";
import { defineTool, z } from "toolbooth";

const CHECK = ["--input-type=module", "--check", "-"];

/**
 * Runs a program of the machine, here Node itself, which reads the code and does not run it. The input goes to the program's standard input,
 * never into a command line for a shell. The program gets no settings of the service, and ends with the time limit of the call (`signal`).
 */
export default defineTool({
  summary: "Checks a JavaScript module for syntax errors.",
  input: { code: z.string() },
  output: { valid: z.boolean(), line: z.int().optional(), message: z.string().optional() },
  price: 1,
  effect: "read",
  timeLimitMs: 5_000,
  examples: [
    {
      name: "A missing value",
      request: { code: "const answer = ;" },
      response: { ok: true, valid: false, line: 1, message: "Unexpected token ';'" },
    },
  ],
  run: ({ code }, { signal }) =>
    new Promise((resolve, reject) => {
      const options = { signal, env: {}, maxBuffer: 1024 * 1024 };
      const child = execFile(process.execPath, CHECK, options, (error, _, printed) => {
        const [, line] = /^\[stdin\]:(\d+)$/m.exec(printed) ?? [];
        // Node prints the line of code before the message, which is cut off behind a very long one.
        const [, message = "Syntax error"] = /^SyntaxError: (.*)$/m.exec(printed) ?? [];
        if (error === null) resolve({ valid: true });
        else if (line === undefined) reject(error);
        else resolve({ valid: false, line: Number(line), message });
      });
      child.stdin?.end(code);
    }),
});

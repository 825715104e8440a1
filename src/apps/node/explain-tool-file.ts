import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns why a tool's file cannot be used, a line for each reason: `tools/word-count.ts:6: the reason`. */
export function explainToolFile(error: unknown, file: string, folder: string): string[] {
  const place = placeOf(error, file);
  const shown = path.relative(path.dirname(folder), place.file);
  const at = place.line === undefined ? shown : `${shown}:${place.line}`;
  return reasonOf(error)
    .split("\n")
    .map((reason) => `${at}: ${reason}`);
}

type Place = { file: string; line?: string | undefined };

/** Where Node found the error: at the start of the stack for syntax, else the first frame in the file. */
function placeOf(error: unknown, file: string): Place {
  const stack = String((error as Error | undefined)?.stack ?? "");
  const [, url, line] = /^(file:\S+):(\d+)\n/.exec(stack) ?? [];
  if (url !== undefined) return { file: fileURLToPath(url), line };
  const href = pathToFileURL(file).href;
  const frame = stack.split("\n").find((each) => each.includes(`${href}:`));
  if (frame !== undefined) return { file, line: /:(\d+):\d+\)?$/.exec(frame)?.[1] };
  if (error instanceof SyntaxError) return { file, line: lineOfSyntax(error, file) };
  const missing = MISSING.exec((error as Error | undefined)?.message ?? "")?.[2];
  return { file, line: missing === undefined ? undefined : lineOfImport(missing, file) };
}

/** Node does not say where an error of syntax in JavaScript is; its reader of TypeScript does. */
function lineOfSyntax(error: SyntaxError, file: string): string | undefined {
  try {
    stripTypeScriptTypes(readFileSync(file, "utf8"), { sourceUrl: file });
  } catch (found) {
    return /:(\d+)\n/.exec(String((found as Error).stack))?.[1];
  }
  return /:(\d+)\n/.exec(String(error.stack))?.[1];
}

/** What a module that is read as CommonJS fails with. */
const MODULE_SYNTAX =
  /^(?:Cannot use import statement outside a module|Unexpected token 'export')$/;

const MISSING = /^Cannot find (module|package) '([^']+)'/;

/** `missing`: a package, or the path of a file. */
export function lineOfImport(missing: string, file: string): string | undefined {
  const name = path.basename(missing);
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex(
    (line) => line.includes(name) && /\b(?:import|from|require)\b/.test(line),
  );
  return at === -1 ? undefined : String(at + 1);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const [, kind, name] = MISSING.exec(error.message) ?? [];
  if (kind === "package")
    return `the package \`${name}\` is not installed; run \`npm install ${name}\``;
  if (kind === "module") return `there is no file ${name}`;
  if (error instanceof SyntaxError && MODULE_SYNTAX.test(error.message))
    return `${error.message}: package.json says that files with this ending are CommonJS. Run \`npm pkg set type=module\`, or name the file \`*.mjs\``;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return `${error.message.replace(" in strip-only mode", "")}: Node removes the types and compiles nothing, so only syntax that can be removed works`;
  return error.message;
}

/**
 * `npm create toolbooth my-api` writes a project with a tool of its own. It is the package `create-toolbooth`, which has this folder
 * and no dependencies, so it is JavaScript as it stands. The project is the files of `project/` and a package.json.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import packageJson from "../../../package.json" with { type: "json" };

const PROJECT = path.join(import.meta.dirname, "project");
/** The name in the files of `project/`, and that of a project for which nobody chose one. */
const NAME = "my-api";
const NAME_CHARACTERS_MAX = 214;
/** The version that checks this package. */
const TYPESCRIPT = "7.0.2";

const HELP = `Usage: npm create toolbooth [folder]

Writes a new project to the folder (${NAME} by default): a service that offers the tools in its folder tools/. It changes no existing file.

  -y, --yes   Ask nothing
  -h, --help  Print this text
`;

/** Nothing was written. The message says why, and what to do. */
export class CreateError extends Error {}

/**
 * Returns what to print.
 *
 * @param {readonly string[]} args
 * @param {string} cwd the folder in which the project's folder is
 * @param {((question: string) => Promise<string>) | undefined} ask undefined without a terminal
 * @returns {Promise<string>}
 */
export async function create(args, cwd, ask) {
  const { folders, isHelp, asksNothing } = readArguments(args);
  if (isHelp) return HELP;
  let [folder = NAME] = folders;
  if (folders.length === 0 && !asksNothing && ask !== undefined)
    folder = (await ask(`Name of the project (${NAME}): `)).trim() || NAME;
  const target = path.resolve(cwd, folder);
  const name = folder === "" ? "" : path.basename(target);
  const fault = nameFault(name);
  if (fault !== undefined) throw new CreateError(`${JSON.stringify(name)} ${fault}`);
  requireEmpty(target, folder);
  for (const [file, text] of filesOf(name)) {
    const full = path.join(target, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, text, { flag: "wx" });
  }
  return nextSteps(name, path.relative(cwd, target));
}

/** @param {readonly string[]} args */
function readArguments(args) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (positionals.length > 1) throw new TypeError("More than one folder was given.");
    const { help: isHelp = false, yes: asksNothing = false } = values;
    return { folders: positionals, isHelp, asksNothing };
  } catch (cause) {
    throw new CreateError(`${/** @type {Error} */ (cause).message}\n\n${HELP.trimEnd()}`);
  }
}

/**
 * npm has further rules, and other characters need quotes in a shell.
 *
 * @param {string} name
 */
function nameFault(name) {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > NAME_CHARACTERS_MAX)
    return `cannot be the name of a project: it has lowercase letters, digits and hyphens between them, such as ${NAME}. Choose another name for its folder.`;
  if (name === "toolbooth")
    return "is the name of the package that the project installs. Choose another name for its folder.";
  return undefined;
}

/**
 * @param {string} target
 * @param {string} folder as it is called in messages
 */
function requireEmpty(target, folder) {
  let names;
  try {
    names = readdirSync(target);
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    if (code === "ENOENT") return;
    if (code === "ENOTDIR")
      throw new CreateError(`${folder} is a file. Nothing was written; choose another name.`);
    throw cause;
  }
  // A repository that is new has nothing of the user's.
  if (names.some((each) => each !== ".git"))
    throw new CreateError(
      `The folder ${folder} is not empty. Nothing was written; choose another name, or empty it.`,
    );
}

/**
 * The text of each file, by its path in the project.
 *
 * @param {string} name
 */
function filesOf(name) {
  const files = new Map([["package.json", `${JSON.stringify(manifest(name), null, 2)}\n`]]);
  for (const entry of readdirSync(PROJECT, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const full = path.join(entry.parentPath, entry.name);
    const file = path.relative(PROJECT, full);
    const text = readFileSync(full, "utf8").replaceAll(NAME, name);
    // npm packs no file with the name `.gitignore`.
    files.set(file === "gitignore" ? ".gitignore" : file, text);
  }
  return files;
}

/** @param {string} name */
const manifest = (name) => ({
  ...{ name, private: true, type: "module", engines: packageJson.engines },
  scripts: {
    start: "toolbooth start",
    dev: "toolbooth dev",
    check: "toolbooth check",
    test: "node --test",
  },
  // Both packages are released together. The range makes `npm update` an upgrade; the lockfile of the project pins it.
  dependencies: { toolbooth: `^${packageJson.version}` },
  // For `npm run check` and `npx tsc`, which without it would run another package, and the types of Node for the tests.
  devDependencies: { "@types/node": "^24.0.0", typescript: TYPESCRIPT },
});

/**
 * @param {string} name
 * @param {string} folder empty for the current one
 */
function nextSteps(name, folder) {
  const shown = /\s/.test(folder) ? `"${folder}"` : folder;
  const steps = [...(folder === "" ? [] : [`cd ${shown}`]), "npm install", "npm start"];
  return `Wrote the project ${name}. Next:

${steps.map((step) => `  ${step}`).join("\n")}

The first start prints a key and a curl command that calls word-count. README.md says more.
`;
}

export async function main() {
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  try {
    const text = await create(
      process.argv.slice(2),
      process.cwd(),
      hasTerminal ? askTerminal : undefined,
    );
    process.stdout.write(text);
  } catch (cause) {
    const { name, message } = /** @type {Error} */ (cause);
    if (cause instanceof CreateError) process.stderr.write(`${message}\n`);
    else if (name === "AbortError") process.stderr.write("\nNothing was written.\n");
    else process.stderr.write(`The project cannot be written: ${message}\n`);
    process.exitCode = 1;
  }
}

/**
 * Rejects with an AbortError at Ctrl-C and at the end of the input, which would leave the question open.
 *
 * @param {string} question
 * @param {NodeJS.ReadableStream} input
 * @param {NodeJS.WritableStream} output
 */
export async function askTerminal(question, input = process.stdin, output = process.stdout) {
  const terminal = createInterface({ input, output, terminal: true });
  const closed = new AbortController();
  terminal.once("close", () => closed.abort());
  try {
    return await terminal.question(question, { signal: closed.signal });
  } finally {
    terminal.close();
  }
}

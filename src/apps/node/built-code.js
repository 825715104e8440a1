/**
 * Runs the code that `npm run build` made of the server and the command line, or their TypeScript where nothing is built.
 * JavaScript itself, because loading Node's reader of TypeScript takes 30 ms of every command.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { threadId } from "node:worker_threads";

const CHECKOUT = path.join(import.meta.dirname, "../../..");

/**
 * What a build was made of: the path of each input below the checkout, with its size, its times in milliseconds and its SHA-256.
 *
 * @typedef {Record<string, { size: number, changed: number, inode: number, hash: string }>} Stamps
 */

/**
 * Returns the folder for builds of the code. It is never in the data folder: a user who writes there must not be able to run code.
 *
 * @param {string} checkout
 */
export const builtCodePlace = (checkout) => path.join(checkout, "dist", "server");

/** The stamps of a build of the code. Its name is that of the file which `pages-folder.ts` expects in a finished build. */
export const STAMPS = "manifest.json";

/**
 * Runs `<name>` of the build that was made of the present sources, else imports the given module. `isStale`: whether there are builds,
 * of other sources.
 *
 * @param {string} name
 * @param {(found: { isStale: boolean }) => Promise<unknown>} importSource
 */
export async function runBuilt(name, importSource) {
  const folder = findBuiltCode(CHECKOUT);
  if (folder !== undefined) return loadBuilt(folder, name);
  return importSource({ isStale: buildsIn(builtCodePlace(CHECKOUT)).length > 0 });
}

/**
 * Runs a bundle with the code that V8 compiled when the build ran it, and returns what it exports. Node's own cache of compiled code
 * does not do here: it serves only the user who wrote it, and the one who builds is often not the one who runs. V8 checks that the
 * compiled code is of its own version, and compiles the bundle otherwise.
 *
 * @param {string} folder
 * @param {string} name
 */
export function loadBuilt(folder, name) {
  const { exports } = load(folder, name, readIfThere(compiledFile(folder, name)));
  return exports;
}

/**
 * Does the same without compiled code, and keeps writing what V8 has compiled until the process ends. A thread may
 * end by force, without a last moment to write it.
 *
 * @param {string} folder
 * @param {string} name
 */
export function recordBuilt(folder, name) {
  const { exports, script } = load(folder, name, undefined);
  const file = compiledFile(folder, name);
  // Several threads may run the same bundle at once.
  const partial = `${file}.${threadId}`;
  const write = () => {
    writeFileSync(partial, script.createCachedData());
    renameSync(partial, file);
  };
  // At once, for a thread that waits for its jobs without returning to its event loop.
  write();
  setInterval(write, RECORD_EVERY_MS).unref();
  process.once("exit", write);
  return exports;
}

export const RECORD_EVERY_MS = 200;

/** @param {string} folder @param {string} name */
const compiledFile = (folder, name) => path.join(folder, `${name}.compiled`);

/** What a bundle is wrapped in, as Node wraps CommonJS modules. */
export const WRAPPER = [
  "(function (exports, require, module, __filename, __dirname, __url) {",
  "})",
];

/**
 * @param {string} folder
 * @param {string} name
 * @param {Buffer | undefined} cachedData
 */
function load(folder, name, cachedData) {
  const filename = path.join(folder, `${name}.cjs`);
  // Bundles are ASCII, of which V8 keeps one byte a character.
  const script = new vm.Script(readFileSync(filename, "latin1"), {
    filename,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const url = pathToFileURL(filename).href;
  script.runInThisContext()(module.exports, createRequire(url), module, filename, folder, url);
  return { exports: /** @type {Record<string, unknown>} */ (module.exports), script };
}

/**
 * Returns the folder of the build whose inputs are the present files; undefined without one. A build of other sources is never
 * run: after `git pull` the server runs its TypeScript until the next build.
 *
 * @param {string} checkout
 */
export function findBuiltCode(checkout) {
  return buildsIn(builtCodePlace(checkout)).find((folder) =>
    isUnchanged(checkout, path.join(folder, STAMPS)),
  );
}

/** The name of a finished build: the start of a SHA-256. */
export const BUILD_NAME = /^[0-9a-f]{16}$/;

/**
 * Returns the folders of the finished builds in a place; none where there is no such place.
 *
 * @param {string} place
 */
export function buildsIn(place) {
  try {
    const names = readdirSync(place).filter((name) => BUILD_NAME.test(name));
    return names.map((name) => path.join(place, name));
  } catch {
    return [];
  }
}

/**
 * Whether the files that are stamped in the given file are what they were; false without it.
 *
 * @param {string} checkout
 * @param {string} file
 */
export function isUnchanged(checkout, file) {
  const stamps = readIfThere(file);
  return stamps !== undefined && areUnchanged(checkout, JSON.parse(stamps.toString()));
}

/**
 * Whether the files are those that were stamped. The content is read only of those whose size, time of change or inode differs, as
 * in a copy: 500 times `stat` take 3 ms, reading and hashing 20. The system sets the time of change, so that no tool that keeps the
 * times of files can hide one.
 *
 * @param {string} checkout
 * @param {Stamps} stamps
 */
export function areUnchanged(checkout, stamps) {
  return Object.entries(stamps).every(([name, stamp]) => {
    const file = path.join(checkout, name);
    const now = statSync(file, { throwIfNoEntry: false });
    if (now === undefined) return false;
    const isSame =
      now.size === stamp.size && now.ctimeMs === stamp.changed && now.ino === stamp.inode;
    return isSame || (now.size === stamp.size && hashOf(file) === stamp.hash);
  });
}

/**
 * Stamps these files as they are now.
 *
 * @param {string} checkout
 * @param {readonly string[]} names
 * @returns {Stamps}
 */
export function stampFiles(checkout, names) {
  const stamp = (/** @type {string} */ name) => {
    const file = path.join(checkout, name);
    const { size, ctimeMs, ino } = statSync(file);
    return [name, { size, changed: ctimeMs, inode: ino, hash: hashOf(file) }];
  };
  return Object.fromEntries(names.map(stamp));
}

/** @param {string} file */
const hashOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

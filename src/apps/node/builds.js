/**
 * The builds of `npm run build`. Each is in a folder named after the SHA-256 of its sources, so a build of other sources is never found.
 * Times of modification would not do: `rsync` and archives give a changed file an earlier time than that of the build. This is
 * JavaScript, because loading Node's reader of TypeScript takes 30 ms of every command.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import path from "node:path";
import { parseEnv } from "node:util";

/** Three levels up from here, and from a built server too. */
const CHECKOUT = path.join(import.meta.dirname, "../../..");

/** What a build is made of, besides these files. */
const SOURCES = {
  server: { folders: ["src"], leftOut: /^src\/apps\/edge\// },
  // Databases and apps do not run in a browser; what builds the pages counts.
  pages: {
    folders: ["src", "web"],
    leftOut: /^src\/(?:stores|apps\/(?!node\/(?:build-pages|licenses)\.ts))/,
  },
};
const FILES = ["package.json", "package-lock.json"];

/** The name of a build in the published package, which has no sources. */
export const PACKED = "packed";

/**
 * Returns the name of the build of the present sources.
 *
 * @param {string} checkout
 * @param {"server" | "pages"} kind
 */
export function hashSources(checkout, kind) {
  if (!existsSync(path.join(checkout, "src"))) return PACKED;
  const { folders, leftOut } = SOURCES[kind];
  const files = folders.flatMap((folder) => filesBelow(checkout, folder));
  const hash = createHash("sha256");
  for (const name of [...FILES, ...files.filter((file) => !leftOut.test(file))]) {
    const bytes = readFileSync(path.join(checkout, name));
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * Returns where builds of the pages are: beside the code, or beside the data if the code is read-only.
 *
 * @param {string} checkout
 * @param {string} dataDir
 */
export const pagesPlaces = (checkout, dataDir) => [
  path.join(checkout, "dist/pages"),
  path.resolve(dataDir, "pages"),
];

/**
 * Returns the folder of a complete build.
 *
 * @param {readonly string[]} places
 * @param {string} hash
 */
export const findBuild = (places, hash) =>
  places.map((place) => path.join(place, hash)).find((folder) => existsSync(folder));

/**
 * Not with the option `recursive`, which asks the system about each file once more.
 *
 * @param {string} checkout
 * @param {string} folder
 * @returns {string[]}
 */
const filesBelow = (checkout, folder) =>
  readdirSync(path.join(checkout, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(checkout, name);
      return entry.isFile() ? [name] : [];
    })
    .sort();

/**
 * Runs the server or the command line as it was built from the present sources; without such a build, its TypeScript.
 *
 * @param {"main" | "cli"} name
 * @param {() => Promise<unknown>} importSource
 */
export async function run(name, importSource) {
  readEnvFile();
  // Threads read the variable. Where this user may not write, Node does without the cache.
  process.env["NODE_COMPILE_CACHE"] ??= path.join(CHECKOUT, "node_modules/.cache/compiled");
  enableCompileCache();
  const builds = path.join(CHECKOUT, "dist/server");
  if (!existsSync(builds)) return importSource();
  const folder = findBuild([builds], hashSources(CHECKOUT, "server"));
  if (folder !== undefined) return createRequire(import.meta.url)(`${folder}/${name}.cjs`);
  if (name === "main") process.stderr.write(OTHER_SOURCES);
  return importSource();
}

/** Reads `.env` in the current folder. Settings of the environment take precedence. */
function readEnvFile() {
  try {
    const text = readFileSync(".env", "utf8");
    const cut = cutByHash(text);
    if (cut !== undefined) throw new Error(`${cut} has a # in its value. Put the value in quotes.`);
    process.loadEnvFile();
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    if (code === "ENOENT") return;
    process.stderr.write(`The settings in .env cannot be read: ${message}\n`);
    process.exit(1);
  }
}

/**
 * Returns the name of the first value that Node ends at a `#` although no space is before it. To a shell and Docker Compose that is
 * no comment, and what is left of a password or of `#7a2bbf` would be taken for the setting, or for none.
 *
 * @param {string} text
 */
function cutByHash(text) {
  const values = parseEnv(text);
  for (const [, name = "", value = ""] of text.matchAll(UNQUOTED_WITH_HASH))
    if (values[name] === value) return name;
  return undefined;
}

/** The value is what Node takes. A line within a quoted value can look the same, but its name has another value or none. */
const UNQUOTED_WITH_HASH =
  /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(?:(?<==)(?=#\S)|([^\s"'`#](?:[^\n#]*[^\s#])?))#/gm;

const OTHER_SOURCES =
  "The server was built from other sources: `npm run build` makes it start faster.\n";

/**
 * What runs before everything else: on a Node that is too old it says so in a sentence and ends the process. Old Nodes must be able to
 * parse it, so it is a CommonJS module in the JavaScript of 2015. The scripts of package.json require it with `-r`, an option of
 * every Node, and so does each thread of theirs; `start.js` imports it for users who run that file directly.
 */
"use strict";

const NEEDED = 24;

/**
 * Returns the sentence for a version of Node that is too old; undefined for others.
 *
 * @param {string} version as in `process.versions.node`
 * @param {boolean} isInstalled whether this is the package, and not a checkout
 * @returns {string | undefined}
 */
function complaintAbout(version, isInstalled) {
  const parts = version.split(".");
  if (Number(parts[0]) >= NEEDED) return undefined;
  // npm has Node as a package, which is put first on the path of `npx` and of npm's scripts.
  const install = isInstalled
    ? `\`npm install node-linux-${process.arch}@${NEEDED}\` installs it for this folder`
    : "`npm ci` installs it for `npm start` and `npm run toolbooth`";
  return (
    `Toolbooth needs Node ${NEEDED} or newer; this is ${parts[0]}.${parts[1]}. ` +
    `On Linux, ${install}; elsewhere see https://nodejs.org.\n`
  );
}
exports.complaintAbout = complaintAbout;

const complaint = complaintAbout(process.versions.node, /[\\/]node_modules[\\/]/.test(__dirname));
if (complaint !== undefined) {
  process.stderr.write(complaint);
  process.exit(1);
}

// The first releases of Node 24 warn that they read TypeScript and SQLite. `--disable-warning` does the same, but Nodes before 20.11
// reject it with a message of their own.
const emitWarning = process.emitWarning;
process.emitWarning = (/** @type {any[]} */ ...args) => {
  const options = args[1];
  const type = typeof options === "object" && options !== null ? options.type : options;
  if (type !== "ExperimentalWarning") Reflect.apply(emitWarning, process, args);
};

import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DataFolderError, giveToFolderOwner, syncPath } from "./data-folder.ts";

/** Files that contain secrets: mode 0600, and written completely or not at all. */

const OTHERS = 0o007;
const GROUP = 0o070;

/** Returns whether the file exists. Throws if it cannot be trusted to be private. */
export function requirePrivateFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isFile()) throw new DataFolderError(`${file} is not a file. Move it away.`);
  if ((found.mode & OTHERS) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    throw new DataFolderError(
      `Every user of this machine may access ${file} (mode ${mode}). Run \`chmod 600 ${file}\`. If others may have read it, rotate the secret as docs/operations.md describes.`,
    );
  }
  try {
    // Kubernetes lets the group of a volume read and write its files, so this is corrected instead of refused.
    if ((found.mode & GROUP) !== 0) chmodSync(file, 0o600);
  } catch {
    // The file belongs to another user, such as root. That its group may read it is then on purpose.
  }
  return true;
}

/** Writes the text to a file beside `file`, and calls `publish` when its content is on the disk. By default the file is replaced. */
export function writePrivateFile(
  file: string,
  text: string,
  publish = (partial: string) => renameSync(partial, file),
): void {
  const partial = `${file}.${randomBytes(6).toString("hex")}.partial`;
  try {
    writeFileSync(partial, text, { flag: "wx", mode: 0o600, flush: true });
    giveToFolderOwner(partial);
    publish(partial);
    syncPath(path.dirname(file));
  } catch (error) {
    rmSync(partial, { force: true });
    throw new DataFolderError(`${file} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

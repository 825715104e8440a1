import { createHash } from "node:crypto";
import path from "node:path";

/** The system limits the path of a socket to 107 bytes (Linux) or 103 (macOS). */
const SOCKET_BYTES_MAX = 100;

/**
 * Returns where the server of a data folder listens for the command line: a Unix socket in the folder, or a named pipe on Windows. A path
 * that is too long for the system is spelled from the working directory; null if that is too long as well.
 */
export function socketPathOf(dataDir: string): string | null {
  const folder = path.resolve(dataDir);
  if (process.platform === "win32") {
    const name = createHash("sha256").update(folder.toLowerCase()).digest("hex").slice(0, 32);
    return `\\\\.\\pipe\\toolbooth-${name}`;
  }
  const file = path.join(folder, "operator.sock");
  const spellings = [file, path.relative(process.cwd(), file)];
  return spellings.find((each) => Buffer.byteLength(each) <= SOCKET_BYTES_MAX) ?? null;
}

export const SOCKET_PATH_TOO_LONG =
  "The path of DATA_DIR is too long for a socket in it, which the command line needs. Set DATA_DIR to a shorter path, or start the server and the commands in a folder near it.";

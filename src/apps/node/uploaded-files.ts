import { createHash, randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import type { FileStore, StoredFile } from "#calls/stored-file.ts";
import { ApiError } from "#errors.ts";
import { HOUR_MS } from "#limits.ts";
import { dropFile } from "./data-folder.ts";
import type { NodeLog } from "./log.ts";
import { givePatience } from "./server.ts";

/** The files of calls that run, in a folder of DATA_DIR: one of tools is a program of the machine, which needs a path. */
const FOLDER = "uploads";

type Options = {
  /** Other nodes may have their files in the folder. Default: no. */
  isShared?: boolean;
  /** There is so little space that the ledger needs all of it. */
  isDiskLow(): boolean;
  logError: NodeLog["logError"];
};

/** No call has a file that was last written so long ago: it waits, runs and ends within minutes. */
const LEFT_AFTER_MS = HOUR_MS;

/** Deletes what a server that was killed has left behind. */
export function openUploadedFiles(
  dataDir: string,
  { isShared = false, isDiskLow, logError }: Options,
): FileStore {
  const folder = path.resolve(dataDir, FOLDER);
  const isLeft = (file: string) => {
    const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return !isShared || writtenAt < Date.now() - LEFT_AFTER_MS;
  };
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined)
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      if (isLeft(file)) dropFile(file);
    }
  return {
    async create(connection) {
      if (isDiskLow()) throw cannotStore("The disk of DATA_DIR is low on space");
      givePatience(connection as IncomingMessage | undefined);
      const file = path.join(folder, randomBytes(16).toString("hex"));
      try {
        await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "EEXIST") throw error;
        });
        return storedFile(file, await open(file, "wx", 0o600), logError);
      } catch (cause) {
        throw cannotStore(cause);
      }
    },
  };
}

function storedFile(file: string, handle: FileHandle, logError: NodeLog["logError"]): StoredFile {
  const sha256 = createHash("sha256");
  /** What is written must not be deleted meanwhile: a file that is created anew would stay. */
  let writing: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  }
  return {
    path: file,
    async write(bytes) {
      sha256.update(bytes);
      const written = handle.writeFile(bytes);
      writing = written.catch(() => {});
      await written.catch((cause) => {
        throw cannotStore(cause);
      });
    },
    async close() {
      await close().catch((cause) => {
        throw cannotStore(cause);
      });
      return sha256.digest("hex");
    },
    remove() {
      void writing
        .then(close)
        .catch(() => {})
        .then(() => rm(file, { force: true }))
        .catch((cause) => logError("The file of a call could not be deleted", { cause }));
    },
  };
}

const cannotStore = (cause: unknown) =>
  new ApiError(
    "unavailable",
    "The service cannot store the file now. The call was not charged. Try again later.",
    { cause, headers: { "Retry-After": "30" } },
  );

/**
 * Chromium's files, unpacked from its npm package into the temporary folder: once for all processes that use them at
 * the same time, whichever comes first, and removed by the last one that leaves. A process that died without leaving
 * is not counted. Linux only, as the package is.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const PACKAGE = path.resolve(
  createRequire(import.meta.url).resolve("@sparticuz/chromium"),
  "../..",
);
const { version } = JSON.parse(readFileSync(path.join(PACKAGE, "package.json"), "utf8")) as {
  version: string;
};

const UID = process.getuid?.();
const CHROMIUM_FOLDER = path.join(tmpdir(), `toolbooth-chromium-${version}-${UID}`);
const USERS = path.join(CHROMIUM_FOLDER, "users");

/** A socket in the kernel, not on the disk (the zero byte says so): its name is free again however its holder ends. */
const LOCK = `\0toolbooth-${createHash("sha256").update(CHROMIUM_FOLDER).digest("hex")}`;

export type ChromiumFiles = {
  executable: string;
  /** The libraries that the executable needs and that a small machine does not have. */
  libraries: string;
  fontSettings: string;
  /** A folder of this user alone, for what the browser writes. */
  own: string;
  leave(): Promise<void>;
};

let taken = 0;

export async function takeChromiumFiles(): Promise<ChromiumFiles> {
  taken += 1;
  const own = path.join(USERS, `${process.pid}-${taken}`);
  await alone(async () => {
    // What nobody uses is left from a crash, so nobody knows what it went through.
    if ((await usersLeft()) === 0) await unpack();
    await mkdir(own);
  });
  return {
    executable: path.join(CHROMIUM_FOLDER, "chromium"),
    libraries: path.join(CHROMIUM_FOLDER, "al2023/lib"),
    fontSettings: path.join(CHROMIUM_FOLDER, "fonts.conf"),
    own,
    leave: () =>
      alone(async () => {
        await remove(own);
        if ((await usersLeft()) === 0) await remove(CHROMIUM_FOLDER);
      }),
  };
}

async function usersLeft(): Promise<number> {
  if (!existsSync(USERS)) return 0;
  // Anybody may make folders in the temporary folder, and a program out of this one is run.
  const { uid } = await lstat(CHROMIUM_FOLDER);
  if (uid !== UID) throw new Error(`${CHROMIUM_FOLDER} belongs to somebody else`);
  const users = await readdir(USERS);
  return users.filter((name) => isAlive(Number.parseInt(name, 10))).length;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The package unpacks into the temporary folder of its process and nowhere else, so it gets a process of its own. */
const UNPACK = `
  import chromium, { inflate } from "@sparticuz/chromium";
  await chromium.executablePath();
  await inflate(process.argv[1]);
`;

/** Its own settings name folders of another system. The cache goes where the one user's files go. */
const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fonts</cachedir>
</fontconfig>
`;

async function unpack(): Promise<void> {
  const unfinished = `${CHROMIUM_FOLDER}.unfinished`;
  await remove(unfinished);
  await mkdir(unfinished, { mode: 0o700 });
  const libraries = path.join(PACKAGE, "bin/al2023.tar.br");
  await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", UNPACK, libraries],
    { cwd: import.meta.dirname, env: { TMPDIR: unfinished } },
  );
  await writeFile(path.join(unfinished, "fonts.conf"), FONT_SETTINGS);
  await mkdir(path.join(unfinished, "users"));
  // Late, as the browser of a dead process may have been writing there until just now.
  await remove(CHROMIUM_FOLDER);
  await rename(unfinished, CHROMIUM_FOLDER);
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5 });

/** One process and one caller at a time. */
async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const waiting = new Set<Socket>();
  const held = await hold(waiting);
  try {
    return await work();
  } finally {
    held.close();
    for (const socket of waiting) socket.destroy();
  }
}

async function hold(waiting: Set<Socket>): Promise<Server> {
  for (;;) {
    const server = createServer((socket) => waiting.add(socket.on("error", () => {})));
    try {
      await once(server.listen(LOCK), "listening");
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
    // The connection ends when the holder lets go or dies; where it is gone by now, there is an error before.
    const holder = connect(LOCK).on("error", () => {});
    await new Promise((resolve) => holder.once("close", resolve));
  }
}

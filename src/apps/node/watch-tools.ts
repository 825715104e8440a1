import { existsSync, type FSWatcher, watch } from "node:fs";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { startOwnThread } from "./own-tool-threads.ts";
import { say } from "./start-text.ts";
import {
  loadTools,
  requireSecrets,
  type ServedTools,
  TOOLS_FOLDER,
  ToolsError,
} from "./tools-folder.ts";

/** Editors write a file in several steps, and save several files at once. */
const PAUSE_MS = 30;
/** After a change its first call has the machine to itself. */
const QUIET_MS = 1_000;
/** One reads the files after the next change, and one serves the first call, because their start takes longer than either. */
const SPARE_THREADS = 2;

/**
 * `toolbooth dev`: hands over the tools each time that one of their files, or a file that they import, has been saved, and what starts
 * their threads. While a file is wrong it says why, and what was handed over last stays.
 */
export function watchTools(
  builtIn: readonly string[] | null,
  first: ServedTools,
  serve: (tools: ServedTools, startThread: () => Worker) => void,
): void {
  const folder = path.resolve(TOOLS_FOLDER);
  const watchers = new Map<string, FSWatcher>();
  /** What the tools import, and what they would import if it were right. */
  let imports = first.imports;
  const spares: Worker[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let pause: NodeJS.Timeout | undefined;
  let isReading = false;
  let isAgain = false;

  function follow(): void {
    const folders = new Set([folder, ...imports.map((file) => path.dirname(file))].map(existing));
    for (const [each, watcher] of watchers) {
      if (folders.has(each)) continue;
      watcher.close();
      watchers.delete(each);
    }
    for (const each of folders) if (!watchers.has(each)) watchers.set(each, watch(each, later));
  }

  /** A folder that was deleted and made again is another one, of which its watcher says nothing. */
  function followAnew(): void {
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
    follow();
  }

  function prepare(): void {
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      try {
        while (spares.length < SPARE_THREADS) spares.push(startSpare());
      } catch {
        // Where the system gives no thread, the next one is started when it is needed.
      }
    }, QUIET_MS);
  }

  /** One that dies before it is needed is no loss. */
  function startSpare(): Worker {
    const spare = startOwnThread();
    spare.on("error", () => {});
    spare.once("exit", () => {
      const at = spares.indexOf(spare);
      if (at !== -1) spares.splice(at, 1);
    });
    return spare;
  }

  function takeThread(): Worker {
    prepare();
    return spares.pop() ?? startOwnThread();
  }

  function later(): void {
    clearTimeout(pause);
    pause = setTimeout(() => void read(), PAUSE_MS);
  }

  async function read(): Promise<void> {
    isAgain = isReading;
    if (isReading) return;
    isReading = true;
    try {
      // Before the files are read, so that no change after that is missed.
      followAnew();
      const next = await loadTools(builtIn, folder, takeThread).catch((error) => {
        if (error instanceof ToolsError) imports = [...new Set([...imports, ...error.imports])];
        follow();
        throw error;
      });
      imports = next.imports;
      follow();
      requireSecrets(next, process.env);
      serve(next, takeThread);
      say(`Serving ${next.tools.map(({ name }) => name).join(", ")}.\n`);
      for (const message of next.messages) say(`${message}\n`);
    } catch (error) {
      say(`${(error as Error).message}\nThe tools are served as they were before.\n`);
    } finally {
      isReading = false;
    }
    if (isAgain) later();
  }

  follow();
  prepare();
}

/** The folder, or the nearest one above that is there, in which it will be made. */
const existing = (folder: string): string =>
  existsSync(folder) ? folder : existing(path.dirname(folder));

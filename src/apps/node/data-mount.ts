import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Config } from "#config/config.ts";
import { DataFolderError } from "./data-folder.ts";

/** The engines that name themselves in the variable `container`, as systemd asks them to; our image says `oci`. */
const CONTAINERS = ["oci", "docker", "podman"];

/** What is written to these is gone with the process. */
const IN_MEMORY = ["tmpfs", "ramfs"];

/**
 * Throws a DataFolderError where credits are sold and the ledger would be lost together with a container: without PostgreSQL, and
 * without a volume at the data folder.
 *
 * @param mounts the content of `/proc/self/mountinfo`
 */
export function requireLastingData(
  config: Pick<Config, "dataDir" | "databaseUrl" | "stripe">,
  container: string | undefined,
  mounts: () => string = () => readFileSync("/proc/self/mountinfo", "utf8"),
): void {
  if (!CONTAINERS.includes(container ?? "")) return;
  if (config.stripe === null || config.databaseUrl !== null) return;
  const folder = realPath(path.resolve(config.dataDir));
  const { point, type } = mountOf(folder, mounts());
  if (point !== "/" && !IN_MEMORY.includes(type)) return;
  throw new DataFolderError(
    `The data folder ${folder} is lost together with this container, and with it the credits that you sell. Mount a volume at ${folder} (docker run --volume toolbooth:${folder} …), or keep the data in PostgreSQL with DATABASE_URL.`,
  );
}

/** The mount that a path is on, of those in a `mountinfo`: the deepest, and of several at one point the last. */
export function mountOf(file: string, mountinfo: string): { point: string; type: string } {
  let found = { point: "/", type: "" };
  for (const line of mountinfo.split("\n")) {
    // 36 35 98:0 /root /point options [tags] - type source options
    const [before = "", after = ""] = line.split(" - ");
    const point = before
      .split(" ")[4]
      ?.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    if (point === undefined || point.length < found.point.length) continue;
    const below = point === "/" ? "/" : `${point}/`;
    if (`${file}/`.startsWith(below)) found = { point, type: after.split(" ")[0] ?? "" };
  }
  return found;
}

/** Without symbolic links, as far as the folder exists. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? folder : path.join(realPath(parent), path.basename(folder));
  }
}

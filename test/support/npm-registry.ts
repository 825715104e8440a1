/** A registry on this machine: what a user installs from npm, from the packages of this checkout, without a network. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import type { TestContext } from "node:test";
import { listen } from "./ports.ts";

const MODULES = path.join(import.meta.dirname, "../../node_modules");

/**
 * Serves `published`, the tarballs of each package's versions, the latest at the end, and the packages below `node_modules` in the
 * versions that are there. Returns its URL and the names that were asked for.
 */
export async function startRegistry(
  t: Pick<TestContext, "after">,
  published: Readonly<Record<string, readonly string[]>>,
) {
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const [, name = "", index] =
      /^\/((?:@[^/]+\/)?[^/]+)(?:\/tarball\/(\d+))?$/.exec(decodeURIComponent(request.url ?? "")) ??
      [];
    asked.add(name);
    const found = published[name]?.map(ofTarball) ?? installed(path.join(MODULES, name));
    if (index !== undefined) return response.end(found[Number(index)]?.tarball());
    const at = `http://${request.headers.host}/${name}/tarball`;
    const manifests = found.map(({ manifest }, index) => ({
      ...JSON.parse(manifest()),
      dist: { tarball: `${at}/${index}` },
    }));
    if (manifests.length === 0) return response.writeHead(404).end("{}");
    const versions = Object.fromEntries(manifests.map((each) => [each.version, each]));
    const latest = manifests.at(-1).version;
    return response.end(JSON.stringify({ name, "dist-tags": { latest }, versions }));
  });
  const port = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/`, asked };
}

type Version = { manifest: () => string; tarball: () => Buffer };

const ofTarball = (file: string): Version => ({
  manifest: () =>
    execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }),
  tarball: () => readFileSync(file),
});

/** What is installed in this folder, if anything. */
function installed(folder: string): Version[] {
  const manifest = path.join(folder, "package.json");
  if (!existsSync(manifest)) return [];
  return [{ manifest: () => readFileSync(manifest, "utf8"), tarball: () => pack(folder) }];
}

/** npm ignores the name of the folder that all files of a tarball are in. */
const pack = (folder: string): Buffer =>
  execFileSync("tar", ["-cz", "-C", path.dirname(folder), path.basename(folder)], {
    maxBuffer: 1 << 28,
  });

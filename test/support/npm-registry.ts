/** A registry on this machine: what a user installs from npm, from the packages of this checkout, without a network. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";

const MODULES = path.join(import.meta.dirname, "../../node_modules");

/**
 * Serves `published`, tarballs by the names of their packages, and the packages below `node_modules`, each in one version. Returns its
 * URL and the names that were asked for.
 */
export async function startRegistry(
  t: Pick<TestContext, "after">,
  published: Record<string, string>,
) {
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const [, name = "", isTarball] =
      /^\/((?:@[^/]+\/)?[^/]+)(\/tarball)?$/.exec(decodeURIComponent(request.url ?? "")) ?? [];
    asked.add(name);
    const tarball = published[name];
    const folder = path.join(MODULES, name);
    if (tarball === undefined && !existsSync(path.join(folder, "package.json")))
      return response.writeHead(404).end("{}");
    if (isTarball)
      return response.end(tarball === undefined ? pack(folder) : readFileSync(tarball));
    const manifest = JSON.parse(
      tarball === undefined
        ? readFileSync(path.join(folder, "package.json"), "utf8")
        : execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" }),
    );
    const at = `http://${request.headers.host}/${name}/tarball`;
    const { version } = manifest;
    const versions = { [version]: { ...manifest, dist: { tarball: at } } };
    return response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

/** npm ignores the name of the folder that all files of a tarball are in. */
const pack = (folder: string): Buffer =>
  execFileSync("tar", ["-cz", "-C", path.dirname(folder), path.basename(folder)], {
    maxBuffer: 1 << 28,
  });

/** The pages as Vite builds them, behind a server of the test's own with the shell and the policy of the service. */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const TYPES: Record<string, string> = { ".js": "text/javascript", ".css": "text/css" };

type ManifestEntry = { file: string; css?: string[] };
type Manifest = Record<string, ManifestEntry>;

/** `visitor`: what the pages are told of who looks at them. Closing removes what was built. */
export async function openToolsSite(visitor: unknown) {
  const folder = await mkdtemp(path.join(tmpdir(), "toolbooth-pages-"));
  await build({
    configFile: path.join(import.meta.dirname, "../../web/vite.config.ts"),
    logLevel: "silent",
    build: { outDir: folder, emptyOutDir: true },
  });
  const shell = shellOf(JSON.parse(await readFile(path.join(folder, "manifest.json"), "utf8")));

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site.test");
    const answer = (type: string, body: string | Uint8Array, status = 200) =>
      response
        .writeHead(status, { "Content-Type": type, "Content-Security-Policy": POLICY })
        .end(body);
    if (pathname === "/people/visitor") return answer("application/json", JSON.stringify(visitor));
    if (!pathname.startsWith("/assets/")) return answer("text/html; charset=utf-8", shell);
    const file = path.join(folder, "assets", path.basename(pathname));
    const bytes = await readFile(file).catch(() => null);
    if (bytes === null) return answer("text/plain", "", 404);
    return answer(TYPES[path.extname(file)] ?? "application/octet-stream", bytes);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Every stylesheet there is, however the build divides them. */
const stylesOf = (manifest: Manifest): Set<string> =>
  new Set(
    Object.values(manifest)
      .flatMap(({ file, css = [] }) => [file, ...css])
      .filter((name) => name.endsWith(".css")),
  );

const shellOf = (manifest: Manifest) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolbooth</title><meta name="toolbooth-base" content=""><link rel="icon" href="data:,">
${[...stylesOf(manifest)].map((sheet) => `<link rel="stylesheet" href="/${sheet}">`).join("")}
<script type="module" src="/${manifest["main.tsx"]?.file}"></script></head><body><div id="app"></div></body></html>`;

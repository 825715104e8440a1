/**
 * `npm run dev`: Vite serves `web/` at PORT with hot reload and passes all other requests to the server, which listens one port further
 * and restarts when its sources change. The browser sees one origin, so cookies work as in production.
 */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, mergeConfig, type Plugin, type UserConfig } from "vite";
import { manifestKey, SITE_FILES } from "../src/site/site-files.ts";
import { siteFileSource } from "./site-file-source.ts";
import config from "./vite.config.ts";

const CHECKOUT = path.join(import.meta.dirname, "..");
const HOST = "127.0.0.1";
const port = Number(process.env["PORT"] ?? 8787);
const pagesUrl = `http://${HOST}:${port}`;

export default defineConfig(
  mergeConfig(config, {
    // A production server works below a path; here everything is at the root.
    base: "/",
    appType: "custom",
    cacheDir: path.join(CHECKOUT, "node_modules/.vite"),
    plugins: [react(), server()],
    server: {
      host: HOST,
      port,
      strictPort: true,
      fs: { allow: [CHECKOUT] },
      proxy: {
        "/": {
          target: `http://${HOST}:${port + 1}`,
          bypass: ({ url = "/" }) => ofVite(url),
          configure: (proxy) => proxy.on("proxyRes", allowStyles),
        },
      },
    },
  } satisfies UserConfig),
);

/** Vite adds styles to the page, which the policy of the pages forbids. */
function allowStyles({ headers }: IncomingMessage): void {
  delete headers["content-security-policy"];
}

const siteFiles = new Map(
  SITE_FILES.map((name) => [
    `/${manifestKey(name)}`,
    `/@fs${path.join(CHECKOUT, siteFileSource(name))}`,
  ]),
);

/** Returns the URL under which Vite knows a source; nothing where the server responds. */
function ofVite(url: string): string | undefined {
  const { pathname } = new URL(url, pagesUrl);
  const file = path.join(import.meta.dirname, pathname);
  if (/^\/(?:@|node_modules\/)/.test(pathname)) return url;
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return url;
  return siteFiles.get(pathname);
}

/** Runs the server as long as Vite listens. */
function server(): Plugin {
  return {
    name: "toolbooth-server",
    configureServer({ httpServer }) {
      httpServer?.once("listening", () => {
        const child = startServer();
        httpServer.once("close", () => child.kill());
      });
    },
  };
}

const startServer = () =>
  spawn(
    process.execPath,
    [
      "--watch-path=src",
      "--watch-preserve-output",
      // With this variable, Node 24 mixes messages of its own into those of the server's threads.
      "--import=data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES",
      "--disable-warning=ExperimentalWarning",
      "src/apps/node/main.ts",
    ],
    {
      cwd: CHECKOUT,
      stdio: "inherit",
      env: {
        PUBLIC_URL: pagesUrl,
        ...process.env,
        PORT: String(port + 1),
        VITE_DEV_SERVER: pagesUrl,
      },
    },
  );

/**
 * Development: `npm run dev`. Vite serves `web/` with hot reload at PORT and passes every other request to the server, which listens
 * one port further and starts again whenever a file of `src/` changes. The browser sees one origin, so session cookies work as in
 * production.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ViteDevServer } from "vite";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const SOURCES = path.join(CHECKOUT, "src");
const HOST = "127.0.0.1";
const pagesPort = Number(process.env["PORT"] ?? 8787);
const serverPort = pagesPort + 1;
const pagesUrl = `http://${HOST}:${pagesPort}`;
/** An editor that saves all files writes several at once: one restart is enough. */
const SETTLE_MS = 100;
/** A request that comes while the server restarts waits this long for it. */
const RESTART_MS_MAX = 15_000;
const RETRY_MS = 100;

let server: ChildProcess | undefined;
let isStopping = false;

function startServer(): void {
  const entry = path.join(import.meta.dirname, "main.ts");
  server = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", entry], {
    cwd: CHECKOUT,
    stdio: "inherit",
    env: {
      PUBLIC_URL: pagesUrl,
      ...process.env,
      PORT: String(serverPort),
      VITE_DEV_SERVER: pagesUrl,
    },
  });
  server.on("exit", (code) => {
    if (isStopping || code === 0) return;
    say(`The server ended with ${code}. It starts again when you save a file in src/.`);
  });
}

async function stopServer(): Promise<void> {
  const running = server;
  if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
  const exited = once(running, "exit");
  running.kill("SIGTERM");
  await exited;
}

/** Restarts the server after a change; changes that come during a restart lead to one more. */
function watchSources(vite: ViteDevServer): void {
  let timer: NodeJS.Timeout | undefined;
  let restart = Promise.resolve();
  vite.watcher.add(SOURCES);
  vite.watcher.on("all", (_event, file) => {
    if (!file.startsWith(SOURCES + path.sep)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      restart = restart.then(async () => {
        if (isStopping) return;
        say(`${path.relative(CHECKOUT, file)} changed; restarting the server`);
        await stopServer();
        if (isStopping) return;
        startServer();
        // The pages that the server renders change with its code.
        vite.ws.send({ type: "full-reload" });
      });
    }, SETTLE_MS);
  });
}

/** Passes a request to the server. Its pages are handed to Vite, which adds the client of the hot reload. */
async function passOn(
  vite: ViteDevServer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const response = await askServer(incoming);
  const { statusCode = 502, headers } = response;
  if (!headers["content-type"]?.startsWith("text/html")) {
    outgoing.writeHead(statusCode, headers);
    response.pipe(outgoing);
    return;
  }
  const page = Buffer.concat(await response.toArray()).toString();
  // The client of the hot reload is an inline script, which the policy of the pages forbids.
  delete headers["content-security-policy"];
  delete headers["content-length"];
  outgoing.writeHead(statusCode, headers);
  outgoing.end(await vite.transformIndexHtml(incoming.url ?? "/", page));
}

async function askServer(incoming: IncomingMessage): Promise<IncomingMessage> {
  const deadline = Date.now() + RESTART_MS_MAX;
  for (;;) {
    // Pages have to arrive uncompressed.
    const { "accept-encoding": _, ...headers } = incoming.headers;
    const outgoing = request({
      host: HOST,
      port: serverPort,
      method: incoming.method,
      path: incoming.url,
      headers,
    });
    // The body is read only once there is a connection, so that a request can be tried again until then.
    outgoing.once("socket", (socket) => {
      if (socket.connecting) socket.once("connect", () => incoming.pipe(outgoing));
      else incoming.pipe(outgoing);
    });
    try {
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      return response;
    } catch (error) {
      const isRestarting = (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
      if (!isRestarting || Date.now() > deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function startVite(): Promise<ViteDevServer> {
  const { createServer, mergeConfig } = await import("vite");
  const { default: react } = await import("@vitejs/plugin-react");
  const { default: config } = await import("../../../web/vite.config.ts");
  const vite = await createServer(
    mergeConfig(config, {
      configFile: false,
      appType: "custom",
      // A production server works below a path; here everything is at the root.
      base: "/",
      cacheDir: path.join(CHECKOUT, "node_modules/.vite"),
      server: { host: HOST, port: pagesPort, strictPort: true, fs: { allow: [CHECKOUT] } },
      plugins: [
        react(),
        {
          name: "toolbooth-server",
          // After Vite's own middleware: what is no file of web/ belongs to the server.
          configureServer: (dev: ViteDevServer) => () => {
            dev.middlewares.use((incoming: IncomingMessage, outgoing: ServerResponse) => {
              passOn(dev, incoming, outgoing).catch((error: Error) => {
                if (!outgoing.headersSent) outgoing.writeHead(502);
                outgoing.end(`The server does not respond: ${error.message}\n`);
              });
            });
          },
        },
      ],
    }),
  );
  return vite.listen();
}

const say = (text: string): void => {
  process.stdout.write(`[dev] ${text}\n`);
};

/** A terminal sends Ctrl-C to both processes; the server then stops by itself and a second signal does nothing. */
async function stop(vite: ViteDevServer): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([stopServer(), vite.close()]);
  process.exit(0);
}

try {
  const vite = await startVite();
  process.on("SIGINT", () => void stop(vite));
  process.on("SIGTERM", () => void stop(vite));
  watchSources(vite);
  startServer();
  say(`Pages with hot reload: ${pagesUrl}`);
  say(`The server alone:      http://${HOST}:${serverPort}`);
  say("Ctrl-C stops both.");
} catch (error) {
  process.stderr.write(`The development server cannot start: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

#!/usr/bin/env bash
# A program that runs for a moment, a job or a command, reports one use of a feature to a service that counts or bills it, and comes to its end by itself, without process.exit(). Six clients with their defaults.
# Expected: the event is sent: it waits in a buffer for a timer, and a timer keeps a process alive.
# Seen on 2026-11-30: @schematichq/schematic-typescript-node 1.6.2, which meters and limits, posthog-node 5.70.0 and langfuse 3.39.2 let their timers go (`unref`), so the process ends at once with code 0 and the event is lost, with no message. It is sent
# with `close()`, `shutdown()` and `shutdownAsync()`, which a job that is cut short does not reach. @segment/analytics-node 3.1.0, @rudderstack/rudder-sdk-node 3.0.13 and mixpanel 0.24.0 send it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @schematichq/schematic-typescript-node@1.6.2 posthog-node@5.70.0 langfuse@3.39.2 @segment/analytics-node@3.1.0 @rudderstack/rudder-sdk-node@3.0.13 mixpanel@0.24.0
cat > use.mjs <<'JS'
const [, , name, url, end] = process.argv;
const use = {
  "@schematichq/schematic-typescript-node": async () => {
    const { SchematicClient } = await import("@schematichq/schematic-typescript-node");
    const client = new SchematicClient({ apiKey: "key", basePath: url, eventCaptureBaseURL: url });
    client.track({ event: "call", company: { id: "a" } });
    return () => client.close();
  },
  "posthog-node": async () => {
    const { PostHog } = await import("posthog-node");
    const client = new PostHog("key", { host: url });
    client.capture({ distinctId: "a", event: "call" });
    return () => client.shutdown();
  },
  langfuse: async () => {
    const { Langfuse } = await import("langfuse");
    const client = new Langfuse({ publicKey: "a", secretKey: "b", baseUrl: url });
    client.trace({ name: "call" });
    return () => client.shutdownAsync();
  },
  "@segment/analytics-node": async () => {
    const { Analytics } = await import("@segment/analytics-node");
    const client = new Analytics({ writeKey: "key", host: url });
    client.track({ userId: "a", event: "call" });
    return () => client.closeAndFlush();
  },
  "@rudderstack/rudder-sdk-node": async () => {
    const { default: Rudder } = await import("@rudderstack/rudder-sdk-node");
    const client = new Rudder("key", { dataPlaneUrl: url });
    client.track({ userId: "a", event: "call" });
    return () => client.flush();
  },
  mixpanel: async () => {
    const { default: Mixpanel } = await import("mixpanel");
    Mixpanel.init("key", { host: new URL(url).host, protocol: "http" }).track("call", { distinct_id: "a" });
    return () => {};
  },
};
const close = await use[name]();
if (end === "closed") await close();
JS
cat > seen.mjs <<'JS'
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
const names = ["@schematichq/schematic-typescript-node", "posthog-node", "langfuse", "@segment/analytics-node", "@rudderstack/rudder-sdk-node", "mixpanel"];
const seen = await Promise.all(names.map(async (name) => {
  const ends = [];
  for (const end of ["by itself", "closed"]) {
    let sent = false;
    let child;
    const server = createServer(async (request, response) => {
      const chunks = await Array.fromAsync(request);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(Buffer.concat(chunks)) : Buffer.concat(chunks);
      const text = `${body} ${atob(new URL(request.url, "http://a").searchParams.get("data") ?? "")}`;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ code: 200 }));
      if (!text.includes("call")) return;
      sent = true;
      child.kill();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    child = execFile(process.execPath, ["use.mjs", name, `http://127.0.0.1:${server.address().port}`, end], () => {});
    await once(child, "exit");
    server.close();
    ends.push(`${end} ${sent ? "sent" : "lost"}`);
  }
  return `${name}: ${ends.join(", ")}`;
}));
console.log(seen.join("\n"));
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '@schematichq/schematic-typescript-node: by itself lost, closed sent
posthog-node: by itself lost, closed sent
langfuse: by itself lost, closed sent
@segment/analytics-node: by itself sent, closed sent
@rudderstack/rudder-sdk-node: by itself sent, closed sent
mixpanel: by itself sent, closed sent' ]

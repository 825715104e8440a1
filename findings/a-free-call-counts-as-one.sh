#!/usr/bin/env bash
# A counter of credits is increased by what a call cost, over the protocol of StatsD: 5, 0 for a free call, undefined and NaN where a price is missing. Three clients.
# Expected: 0 adds nothing, and what is no number is left out or an error.
# Seen on 2026-11-30: node-statsd 0.1.1 sends 1 for 0, as for undefined and NaN: free calls count as a credit each. hot-shots 17.1.1 and
# statsd-client 0.4.7 send 0, 1 for undefined, and the text NaN.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts hot-shots@17.1.1 node-statsd@0.1.1 statsd-client@0.4.7
cat > seen.mjs <<'JS'
import { createSocket } from "node:dgram";
import hotShots from "hot-shots";
import NodeStatsd from "node-statsd";
import StatsdClient from "statsd-client";
const socket = createSocket("udp4");
const lines = [];
socket.on("message", (message) => lines.push(...String(message).trim().split("\n")));
await new Promise((resolve) => socket.bind(0, "127.0.0.1", resolve));
const address = { host: "127.0.0.1", port: socket.address().port };
const clients = { "hot-shots": new hotShots.StatsD(address), "node-statsd": new NodeStatsd(address), "statsd-client": new StatsdClient(address) };
for (const [name, client] of Object.entries(clients)) {
  for (const value of [5, 0, undefined, NaN]) client.increment("credits", value);
  while (lines.length < 4) await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(`${name}: ${lines.splice(0).join(" ")}`);
}
process.exit();
JS
seen=$(timeout 60 node seen.mjs)
echo "$seen"
[ "$seen" = 'hot-shots: credits:5|c credits:0|c credits:1|c credits:NaN|c
node-statsd: credits:5|c credits:1|c credits:1|c credits:1|c
statsd-client: credits:5|c credits:0|c credits:1|c credits:NaN|c' ]

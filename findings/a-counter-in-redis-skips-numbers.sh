#!/usr/bin/env bash
# A counter in Redis stands at 9007199254740992 and is increased by one, then by one again: the server, which counts in 64 bits, answers `:9007199254740993` and `:9007199254740994`. Three clients; a
# server of a few lines in place of Redis.
# Expected: the count, as a text or a bigint, or an error.
# Seen on 2026-11-30: ioredis 6.0.0, iovalkey 0.4.0 and redis 6.3.1 hand out 9007199254740992 and 9007199254740994, numbers that no error comes with. ioredis and
# iovalkey have `stringNumbers`. The same count read with GET is a text and exact.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ioredis@6.0.0 iovalkey@0.4.0 redis@6.3.1
cat > seen.mjs <<'JS'
import { createServer } from "node:net";
import { Redis } from "ioredis";
import { Redis as Valkey } from "iovalkey";
import { createClient } from "redis";
const server = createServer((socket) => {
  let count = 9007199254740992n;
  socket.on("error", () => {}).on("data", (data) => {
    for (const [, name] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g))
      socket.write({ INCR: () => `:${++count}\r\n`, GET: () => `$16\r\n${count}\r\n`, HELLO: () => "%1\r\n$5\r\nproto\r\n:3\r\n" }[name.toUpperCase()]?.() ?? "+OK\r\n");
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = { host: "127.0.0.1", port: server.address().port };
const redis = createClient({ socket: address });
await redis.connect();
const options = { ...address, enableReadyCheck: false };
const clients = {
  ioredis: new Redis(options), "ioredis, stringNumbers": new Redis({ ...options, stringNumbers: true }),
  iovalkey: new Valkey(options), "iovalkey, stringNumbers": new Valkey({ ...options, stringNumbers: true }), redis,
};
for (const [name, client] of Object.entries(clients))
  console.log(`${name}: ${JSON.stringify([await client.incr("calls"), await client.incr("calls"), await client.incr("calls"), await client.get("calls")])}`);
process.exit();
JS
seen=$(timeout 60 node seen.mjs)
echo "$seen"
[ "$seen" = 'ioredis: [9007199254740992,9007199254740994,9007199254740996,"9007199254740995"]
ioredis, stringNumbers: ["9007199254740993","9007199254740994","9007199254740995","9007199254740995"]
iovalkey: [9007199254740992,9007199254740994,9007199254740996,"9007199254740995"]
iovalkey, stringNumbers: ["9007199254740993","9007199254740994","9007199254740995","9007199254740995"]
redis: [9007199254740992,9007199254740994,9007199254740996,"9007199254740995"]' ]

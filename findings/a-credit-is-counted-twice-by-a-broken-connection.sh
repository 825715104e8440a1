#!/usr/bin/env bash
# INCRBY adds a credit to a counter. The server carries it out, and the connection breaks before the answer. Four clients of Redis and Valkey with their defaults; a server of 30 lines in place of theirs.
# Expected: an error, since nobody knows whether it was carried out, and INCRBY twice is two credits.
# Seen on 2026-11-29: ioredis 6.0.0 and iovalkey 0.4.0 connect again and send it once more: two credits for one, and the program is told 2 as if all were well. @upstash/redis 1.39.0, which speaks HTTP, does the same; it tries up to five
# times. redis 6.3.1 rejects. `autoResendUnfulfilledCommands: false`, or `retry: false` of @upstash/redis, is what a counter wants; or a script that takes an id for each addition.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ioredis@6.0.0 iovalkey@0.4.0 redis@6.3.1 @upstash/redis@1.39.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { Redis as Upstash } from "@upstash/redis";
import { Redis } from "ioredis";
import { Redis as Valkey } from "iovalkey";
import { createClient } from "redis";
let credits;
let breaks;
const add = (connection) => {
  credits += 1;
  if (breaks) connection.destroy();
  const broken = breaks;
  breaks = false;
  return broken;
};
// enough of a server of Redis: each message is one command or several, whole
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (data) => {
    for (const [, name] of `${data}`.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
      if (name.toUpperCase() === "INCRBY") {
        if (add(socket)) return;
        socket.write(`:${credits}\r\n`);
      } else if (name.toUpperCase() === "INFO") socket.write("$9\r\nloading:0\r\n");
      else if (name.toUpperCase() === "HELLO") socket.write("-ERR unknown command 'HELLO'\r\n");
      else socket.write("+OK\r\n");
    }
  });
});
const httpServer = createHttpServer(async (request, response) => {
  const [first] = JSON.parse((await request.toArray()).join(""));
  if (add(request.socket)) return;
  const result = { result: credits };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(Array.isArray(first) ? [result] : result));
});
await Promise.all([server, httpServer].map((each) => once(each.listen(0, "127.0.0.1"), "listening")));
const { port } = server.address();
const quiet = (client) => client.on("error", () => {});
const clients = {
  ioredis: () => quiet(new Redis({ port, host: "127.0.0.1" })).incrby("credits", 1),
  iovalkey: () => quiet(new Valkey({ port, host: "127.0.0.1" })).incrby("credits", 1),
  redis: async () => (await quiet(createClient({ url: `redis://127.0.0.1:${port}`, RESP: 2 })).connect()).incrBy("credits", 1),
  "@upstash/redis": () => new Upstash({ url: `http://127.0.0.1:${httpServer.address().port}`, token: "x" }).incrby("credits", 1),
};
for (const [name, increment] of Object.entries(clients)) {
  credits = 0;
  breaks = true;
  const end = await increment().then((value) => `answers ${value}`, (error) => `rejects, ${error.message}`);
  console.log(`${name}: ${end}, added ${credits}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ioredis: answers 2, added 2
iovalkey: answers 2, added 2
redis: rejects, Socket closed unexpectedly, added 1
@upstash/redis: answers 2, added 2' ]

#!/usr/bin/env bash
# A log record has a field of its own named `level` (of a plan), `message` or `time`. What does a reader of the JSON line find?
# Expected: the level of the line is still info, its message still "paid", and its time that of the line: fields are renamed, nested or refused.
# Seen on 2026-11-29: pino 10.4.0 writes such a member twice, and JSON.parse takes the last: the line has the level "gold" and the time 5, so filters by level lose it. bunyan 2.0.5 writes no line at
# all for a level that it does not know, and takes the time. winston 3.19.0 keeps the level but joins the two messages to "paid hello". @logtape/logtape 2.4.2 and
# roarr 7.21.7 keep fields apart.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts pino@10.4.0 winston@3.19.0 bunyan@2.0.5 @logtape/logtape@2.4.2 roarr@7.21.7
cat > seen.mjs <<'JS'
import { Writable } from "node:stream";
import { configure, getLogger, jsonLinesFormatter } from "@logtape/logtape";
import bunyan from "bunyan";
import pino from "pino";
import { ROARR, Roarr } from "roarr";
import winston from "winston";
let text = "";
const stream = new Writable({
  write(chunk, _, done) {
    text += chunk;
    done();
  },
});
await configure({ sinks: { text: (record) => stream.write(jsonLinesFormatter(record)) }, loggers: [{ category: [], sinks: ["text"], lowestLevel: "info" }] });
const winstonLogger = winston.createLogger({ format: winston.format.json(), transports: [new winston.transports.Stream({ stream })] });
const bunyanLogger = bunyan.createLogger({ name: "app", stream });
const pinoLogger = pino(stream);
ROARR.write = (line) => stream.write(line);
const loggers = {
  pino: (fields) => pinoLogger.info(fields, "paid"),
  bunyan: (fields) => bunyanLogger.info(fields, "paid"),
  winston: (fields) => winstonLogger.info("paid", fields),
  logtape: (fields) => getLogger(["app"]).info("paid", fields),
  roarr: (fields) => Roarr.info(fields, "paid"),
};
for (const [name, log] of Object.entries(loggers)) {
  const seen = [];
  for (const fields of [{ level: "gold" }, { message: "hello" }, { time: 5 }]) {
    text = "";
    log(fields);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const line = text === "" ? undefined : JSON.parse(text);
    const level = line?.level ?? line?.context?.logLevel;
    const member = Object.keys(fields)[0];
    const found = { level, message: line?.msg ?? line?.message, time: line?.time === 5 && name !== "winston" ? 5 : "kept" };
    seen.push(line === undefined ? `${member}: no line` : `${member}: ${found[member]}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(ROARR_LOG=true node seen.mjs)
echo "$seen"
[ "$seen" = 'pino: level: gold, message: paid, time: 5
bunyan: level: no line, message: paid, time: 5
winston: level: info, message: paid hello, time: kept
logtape: level: INFO, message: paid, time: kept
roarr: level: 30, message: paid, time: kept' ]

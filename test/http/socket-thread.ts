/** An HTTP thread of a service under test: its clock goes with that of the main thread. */
import { parentPort, workerData } from "node:worker_threads";
import { runHttpThread } from "../../src/apps/node/http-thread-server.ts";
import { patternedBytes, START } from "./fixed-context.ts";
import type { SocketThreadData } from "./node-socket.ts";

const { isFixed, ahead, isProxy, ...settings } = workerData as SocketThreadData;
const aheadMs = () => Number(ahead[0]);
const now = () => (isFixed ? START : Date.now()) + aheadMs();
if (parentPort === null) throw new Error("This file must be started as a worker thread");
const parts = {
  ...{ now, earliestNow: now },
  elapsed: () => (isFixed ? 0 : performance.now()) + aheadMs(),
  ...(isFixed && { random: patternedBytes }),
};
await runHttpThread(parentPort, settings, parts, { isProxy: () => isProxy });

import { parentPort, workerData } from "node:worker_threads";
import { runHttpThread } from "./http-thread-server.ts";

if (parentPort === null) throw new Error("This file must be started as a worker thread");
void runHttpThread(parentPort, workerData);

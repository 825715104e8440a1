import { readFileSync } from "node:fs";
import type { WorkerFixture } from "./fixture.ts";

/** The memory of the Worker's isolate in MB: V8's heap and the buffers outside it. */
export type Memory = { heap: number; buffers: number };

/** Reads the isolate's memory through the inspector, between two tasks. */
export async function openInspector({ miniflare }: Pick<WorkerFixture, "miniflare">) {
  const address = await miniflare.getInspectorURL();
  const socket = new WebSocket(new URL("/core:user:edge", address));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const waiting = new Map<number, (result: Record<string, number>) => void>();
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  socket.addEventListener("close", () => end(new Error("workerd has ended")));
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: never };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let requests = 0;
  const ask = (method: string) => {
    const response = new Promise<Record<string, number>>((resolve) => {
      requests += 1;
      waiting.set(requests, resolve);
      socket.send(JSON.stringify({ id: requests, method }));
    });
    return Promise.race([response, ended]);
  };
  async function memory(): Promise<Memory> {
    const used = await ask("Runtime.getHeapUsage");
    return {
      heap: ((used["usedSize"] ?? 0) + (used["embedderHeapUsedSize"] ?? 0)) / MB,
      buffers: (used["backingStorageSize"] ?? 0) / MB,
    };
  }
  return {
    memory,
    /** The memory after a garbage collection. */
    async memoryInUse(): Promise<Memory> {
      await ask("HeapProfiler.collectGarbage");
      return memory();
    },
    close: () => socket.close(),
  };
}

const MB = 1024 * 1024;

/** The memory of the process (`VmRSS`) and its peak (`VmHWM`) in MB, and its CPU time in ms. */
export function processUsage(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    residentMb: kilobytes("VmRSS") / 1024,
    peakMb: kilobytes("VmHWM") / 1024,
    // Clock ticks of 10 ms.
    cpuMs: 10 * (Number(fields[11]) + Number(fields[12])),
  };
}

import { Gauge, type Registry } from "prom-client";
import type { JobCount } from "#jobs/job-queue.ts";

/** Jobs per queue: waiting, dead, and the age of the oldest one. `count` may be a moment old, and the last one stays if it fails. */
export function addJobGauges(
  registers: Registry[],
  count: () => Promise<readonly JobCount[]>,
  now: () => number,
): void {
  const counted = () => count().catch((): readonly JobCount[] => []);
  new Gauge({
    registers,
    name: "toolbooth_jobs",
    help: "Background jobs by queue and state",
    labelNames: ["queue", "state"],
    async collect() {
      for (const { queue, waiting, dead } of await counted()) {
        this.set({ queue, state: "waiting" }, waiting);
        this.set({ queue, state: "dead" }, dead);
      }
    },
  });
  new Gauge({
    registers,
    name: "toolbooth_jobs_oldest_seconds",
    help: "Age of the oldest waiting job by queue",
    labelNames: ["queue"],
    async collect() {
      for (const { queue, oldestAt } of await counted())
        this.set({ queue }, oldestAt === null ? 0 : Math.max(0, now() - oldestAt) / 1_000);
    },
  });
}

import { Counter, Gauge, type Registry } from "prom-client";
import { FAULT_NAMES, type LastingFaults } from "./lasting-faults.ts";
import type { StorageWatch } from "./storage-watch.ts";

type Sources = {
  faults: LastingFaults["current"];
  storage: Pick<StorageWatch, "freeBytes" | "wal">;
};

/** The faults that last, the free disk space, and with SQLite the write-ahead log. What is not known is left out. */
export function addStorageMetrics(registers: Registry[], { faults, storage }: Sources): void {
  new Gauge({
    registers,
    name: "toolbooth_fault",
    help: "Whether a fault lasts that needs the operator, by its name",
    labelNames: ["name"],
    collect() {
      const current = faults();
      // An alert needs the zeros of the others.
      for (const name of FAULT_NAMES) this.set({ name }, current.has(name) ? 1 : 0);
    },
  });
  const gauge = (name: string, help: string, read: () => number | null | undefined) =>
    new Gauge({
      registers,
      name,
      help,
      collect() {
        const value = read() ?? null;
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  gauge(
    "toolbooth_disk_free_bytes",
    "Free space on the disk of DATA_DIR that the server can use",
    storage.freeBytes,
  );
  gauge(
    "toolbooth_wal_bytes",
    "Size of the part of SQLite's write-ahead log that is in use",
    () => storage.wal()?.bytes,
  );
  gauge(
    "toolbooth_wal_checkpoint_age_seconds",
    "Time since a checkpoint copied a part of the write-ahead log or had nothing to copy",
    () => {
      const wal = storage.wal();
      return wal && wal.checkpointAgeMs / 1_000;
    },
  );
  let counted = 0;
  new Counter({
    registers,
    name: "toolbooth_wal_checkpoint_failures_total",
    help: "Checkpoints of the write-ahead log that failed",
    collect() {
      const { failures } = storage.wal() ?? { failures: 0 };
      this.inc(failures - counted);
      counted = failures;
    },
  });
}

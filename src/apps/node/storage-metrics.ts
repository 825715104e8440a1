import { Counter, Gauge, type Registry } from "prom-client";
import type { DatabaseMeasures } from "#stores/postgres/measure.ts";
import { FAULT_NAMES, type LastingFaults } from "./lasting-faults.ts";
import type { StorageWatch } from "./storage-watch.ts";
import type { NodeStore } from "./store.ts";

type Sources = {
  faults: LastingFaults["current"];
  storage: Pick<StorageWatch, "freeBytes" | "wal">;
  database: NodeStore["measure"];
};

/** PostgreSQL is measured at most this often. The measures of a scrape are those of the one before it. */
const MEASURED_EVERY_MS = 15_000;

/** The faults that last, the free disk space, the write-ahead log of SQLite, and the size of PostgreSQL. What is not known is left out. */
export function addStorageMetrics(
  registers: Registry[],
  { faults, storage, database }: Sources,
): void {
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
  if (database !== null) {
    const measures = remember(database);
    gauge("toolbooth_database_bytes", "Size of the PostgreSQL database", () => measures()?.bytes);
    gauge(
      "toolbooth_database_oldest_transaction_seconds",
      "Age of the oldest transaction that keeps PostgreSQL from removing old versions of rows",
      () => {
        const measured = measures();
        return measured && measured.oldestTransactionMs / 1_000;
      },
    );
    return;
  }
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

/** Returns the last measures, and measures again in the background, so that a scrape does not wait for a database that is down. */
function remember(measure: () => Promise<DatabaseMeasures>): () => DatabaseMeasures | null {
  let last: DatabaseMeasures | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() < nextAt) return last;
    nextAt = performance.now() + MEASURED_EVERY_MS;
    measure().then(
      (measured) => {
        last = measured;
      },
      () => {
        last = null;
      },
    );
    return last;
  };
}

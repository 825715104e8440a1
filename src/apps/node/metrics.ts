import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AccessLogEntry } from "#api/access-log.ts";
import type { Metrics } from "#api/app-context.ts";
import { REJECTIONS, type Rejection } from "#api/dashboard/rejections.ts";
import type { JobCount } from "#jobs/job-queue.ts";
import type { ConnectionEvent } from "./connection-bounds.ts";
import { addJobGauges } from "./job-metrics.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import { addSignUpMetrics, type SignUpCounts } from "./sign-up-metrics.ts";
import { addStorageMetrics } from "./storage-metrics.ts";
import type { StorageWatch } from "./storage-watch.ts";
import type { NodeStore } from "./store.ts";

/** The metrics of `/metrics` in the Prometheus text format. Labels have few values: tools, statuses, error codes. */
export type NodeMetrics = {
  record(entry: AccessLogEntry): void;
  onBatch(batch: { size: number; commitMs: number }): void;
  onLedgerCrash(): void;
  onRejection(reason: Rejection): void;
  countThrottledKey(): void;
  onConnectionClosed(event: ConnectionEvent): void;
  onRequestsNotLogged(count: number): void;
  read: Metrics["read"];
};

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export function createNodeMetrics(queues: {
  ledger(): number;
  tools(): number;
  jobs(): Promise<readonly JobCount[]>;
  signUps(): Promise<SignUpCounts | null>;
  faults: LastingFaults["current"];
  storage: Pick<StorageWatch, "freeBytes" | "wal">;
  /** See `ClockWatch.errorSeconds`. */
  clockErrorSeconds(): number;
  lostCommits(): boolean;
  database: NodeStore["measure"];
}): NodeMetrics {
  const registers = [new Registry()];
  const [register] = registers as [Registry];
  collectDefaultMetrics({ register });

  const requests = new Counter({
    registers,
    name: "toolbooth_requests_total",
    help: "Requests by route, status and error code",
    labelNames: ["route", "status", "code"],
  });
  const calls = new Counter({
    registers,
    name: "toolbooth_calls_total",
    help: "Tool calls by tool and status",
    labelNames: ["tool", "status"],
  });
  const credits = new Counter({
    registers,
    name: "toolbooth_credits_charged_total",
    help: "Credits charged by tool",
    labelNames: ["tool"],
  });
  const latency = new Histogram({
    registers,
    name: "toolbooth_call_duration_seconds",
    help: "Time from a call's headers to its response by tool",
    labelNames: ["tool"],
    buckets: LATENCY_BUCKETS,
  });
  const batchSize = new Histogram({
    registers,
    name: "toolbooth_ledger_batch_orders",
    help: "Orders per ledger transaction",
    buckets: BATCH_BUCKETS,
  });
  const commit = new Histogram({
    registers,
    name: "toolbooth_ledger_commit_seconds",
    help: "Duration of a ledger transaction, including its sync to disk",
    buckets: COMMIT_BUCKETS,
  });
  const crashes = new Counter({
    registers,
    name: "toolbooth_ledger_thread_crashes_total",
    help: "Crashes and restarts of the ledger thread",
  });
  const rejections = new Counter({
    registers,
    name: "toolbooth_dashboard_rejections_total",
    help: "Rejected sign-ins, sign-ups and other dashboard requests by reason",
    labelNames: ["reason"],
  });
  // An alert on the rate of a reason needs its zero.
  for (const reason of REJECTIONS) rejections.inc({ reason }, 0);
  const throttledKeys = new Counter({
    registers,
    name: "toolbooth_throttled_keys_total",
    help: "Unknown keys that were rejected without a question to the ledger, because their network had sent many bad ones",
  });
  const notLogged = new Counter({
    registers,
    name: "toolbooth_requests_not_logged_total",
    help: "Requests that the request log lost, because it was unreachable, or could not keep up",
  });
  const connections = new Counter({
    registers,
    name: "toolbooth_connections_closed_total",
    help: "Connections closed because there were too many, by whose bound was reached and whether they were idle or new",
    labelNames: ["bound", "connection"],
  });
  queueGauge(
    registers,
    "toolbooth_ledger_waiting_orders",
    "Orders waiting for the ledger",
    queues.ledger,
  );
  queueGauge(
    registers,
    "toolbooth_tool_pool_waiting_jobs",
    "Large inputs waiting for a tool thread",
    queues.tools,
  );
  queueGauge(
    registers,
    "toolbooth_clock_error_seconds",
    "How far this machine's clock was set ahead in the last 24 hours, or is ahead of the database's; negative if it is behind",
    queues.clockErrorSeconds,
  );
  queueGauge(
    registers,
    "toolbooth_lost_commits",
    "1 if acknowledged commits are missing from the database and no operator has accepted it",
    () => (queues.lostCommits() ? 1 : 0),
  );
  addJobGauges(registers, queues.jobs, Date.now);
  addSignUpMetrics(registers, queues.signUps);
  addStorageMetrics(registers, queues);

  const children = createChildren({ requests, calls, credits, latency });
  return {
    record(entry) {
      const child = children.find(entry);
      child.requests += 1;
      child.charged += entry.charged ?? 0;
      child.latency?.observe(entry.durationMs / 1000);
    },
    onBatch({ size, commitMs }) {
      batchSize.observe(size);
      commit.observe(commitMs / 1000);
    },
    onLedgerCrash: () => crashes.inc(),
    onRejection: (reason) => rejections.inc({ reason }),
    countThrottledKey: () => throttledKeys.inc(),
    onRequestsNotLogged: (count) => notLogged.inc(count),
    onConnectionClosed: ({ bound, connection }) => connections.inc({ bound, connection }),
    async read() {
      children.count();
      return { contentType: register.contentType, text: await register.metrics() };
    },
  };
}

/** What cannot be read, such as on a disk that fails, is left out: the other metrics are needed most then. */
function queueGauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    registers,
    name,
    help,
    collect() {
      try {
        this.set(read());
      } catch {
        this.remove();
      }
    },
  });
}

type Instruments = {
  requests: Counter<"route" | "status" | "code">;
  calls: Counter<"tool" | "status">;
  credits: Counter<"tool">;
  latency: Histogram<"tool">;
};

/** Caches label lookups and counts in plain variables until metrics are read, because both would cost more than the counting itself. */
function createChildren({ requests, calls, credits, latency }: Instruments) {
  const bind = ({ route, status, code, tool }: AccessLogEntry) => ({
    request: requests.labels(route, String(status), code ?? ""),
    call: tool === null ? null : calls.labels(tool, String(status)),
    credit: tool === null ? null : credits.labels(tool),
    latency: tool === null ? null : latency.labels(tool),
    requests: 0,
    charged: 0,
  });
  type Child = ReturnType<typeof bind>;
  const successes = new Map<string, Child>();
  const others = new Map<string, Child>();
  const findIn = (bound: Map<string, Child>, name: string, entry: AccessLogEntry): Child => {
    let child = bound.get(name);
    if (child === undefined) {
      child = bind(entry);
      bound.set(name, child);
    }
    return child;
  };
  return {
    find: (entry: AccessLogEntry) =>
      entry.status === 200
        ? findIn(successes, entry.route, entry)
        : findIn(others, `${entry.route} ${entry.status} ${entry.code}`, entry),
    /** Adds the counts since the last read to the registry. */
    count() {
      for (const child of [...successes.values(), ...others.values()]) {
        child.request.inc(child.requests);
        child.call?.inc(child.requests);
        if (child.charged > 0) child.credit?.inc(child.charged);
        child.requests = 0;
        child.charged = 0;
      }
    },
  };
}

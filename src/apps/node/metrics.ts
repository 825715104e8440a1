import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AccessLogEntry } from "#api/access-log.ts";
import type { Metrics } from "#api/app-context.ts";
import { REJECTIONS, type Rejection } from "#api/dashboard/rejections.ts";
import type { JobCount } from "#jobs/job-queue.ts";
import type { ConnectionEvent } from "./connection-limits.ts";
import { addJobGauges } from "./job-metrics.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import { createRequestCounts, DURATION_BOUNDS, type RequestCount } from "./request-counts.ts";
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
  const undelivered = new Counter({
    registers,
    name: "toolbooth_calls_not_delivered_total",
    help: "Successful calls whose connection was lost before their response had left, by tool",
    labelNames: ["tool"],
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
  addJobGauges(registers, queues.jobs, Date.now);
  addSignUpMetrics(registers, queues.signUps);
  addStorageMetrics(registers, queues);

  const counts = createRequestCounts();
  const durations = createDurations();
  function add({
    route,
    tool,
    status,
    code,
    requests: count,
    charged,
    undelivered: lost,
    ...times
  }: RequestCount) {
    requests.inc({ route, status, code: code ?? "" }, count);
    if (tool === null) return;
    calls.inc({ tool, status }, count);
    if (charged > 0) credits.inc({ tool }, charged);
    if (lost > 0 && status === 200) undelivered.inc({ tool }, lost);
    durations.add(tool, times);
  }
  return {
    record: counts.record,
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
      for (const count of counts.take()) add(count);
      return {
        contentType: register.contentType,
        text: `${await register.metrics()}${durations.text()}`,
      };
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
      this.set(read());
    },
  });
}

type Durations = Pick<RequestCount, "durations" | "seconds">;

/** The histogram of the durations of calls. By hand, because prom-client's takes only one value at a time. */
function createDurations() {
  const name = "toolbooth_call_duration_seconds";
  const sums = new Map<string, Durations>();

  function lines([tool, { durations, seconds }]: [string, Durations]): string[] {
    let total = 0;
    const buckets = durations.map((count, at) => {
      total += count;
      return `${name}_bucket{le="${DURATION_BOUNDS[at] ?? "+Inf"}",tool="${tool}"} ${total}`;
    });
    return [
      ...buckets,
      `${name}_sum{tool="${tool}"} ${seconds}`,
      `${name}_count{tool="${tool}"} ${total}`,
    ];
  }

  return {
    add(tool: string, { durations, seconds }: Durations): void {
      const sum = sums.get(tool);
      sums.set(tool, {
        durations: durations.map((count, at) => count + (sum?.durations[at] ?? 0)),
        seconds: seconds + (sum?.seconds ?? 0),
      });
    },
    text: () =>
      [
        `\n# HELP ${name} Time from a call's headers to its response by tool`,
        `# TYPE ${name} histogram`,
        ...[...sums].flatMap(lines),
        "",
      ].join("\n"),
  };
}

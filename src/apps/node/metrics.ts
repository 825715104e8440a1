import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import { STARTER_OUTCOMES, type StarterOutcome } from "#accounts/starter-claim.ts";
import type { AccessLogEntry } from "#api/access-log.ts";
import { REJECTIONS } from "#api/dashboard/rejections.ts";
import type { RequestedCounts } from "#email/bounds.ts";
import type { DropReason } from "#email/email-queue.ts";
import type { JobCount } from "#jobs/job-queue.ts";
import type { DatabaseMeasures } from "#stores/postgres/operator.ts";
import type { HoldCounts } from "#stores/sql/count-holds.ts";
import { FAULT_NAMES, type LastingFaults } from "./lasting-faults.ts";
import type { StorageWatch } from "./storage-watch.ts";
import type { NodeStore } from "./store.ts";

/**
 * The metrics of `/metrics`, all declared here. Counters and histograms are incremented where something happens; gauges are read
 * when Prometheus asks. Labels have few values: tools, statuses, error codes.
 */
export type NodeMetrics = ReturnType<typeof createNodeMetrics>;

type Sources = {
  /** Orders that wait for the ledger. */
  ledger(): number;
  /** Large inputs that wait for a thread. */
  tools(): number;
  /** What the dashboard thread last counted, which may be a moment old; null before that. */
  dashboard(): DashboardCounts | null;
  /** The jobs that reverse calls. */
  reversals(): Promise<readonly JobCount[]>;
  faults: LastingFaults["current"];
  storage: Pick<StorageWatch, "freeBytes" | "wal">;
  database: NodeStore["measure"];
};

/** What the dashboard thread counts. */
export type DashboardCounts = {
  jobs: readonly JobCount[];
  signUps: SignUpCounts;
  holds: HoldCounts;
};

/** What it counts about sign-ups. The database counts for all nodes together, but for `dropped`. */
type SignUpCounts = {
  /** New accounts of this UTC day by the outcome of their starter credits. */
  starters: readonly { outcome: StarterOutcome; count: number }[];
  /** Emails that anyone can request, of this UTC hour and day, by group. */
  requested: RequestedCounts;
  /** Emails that this node dropped since its dashboard thread started. */
  dropped: Partial<Record<DropReason, number>>;
};

export function createNodeMetrics(sources: Sources) {
  const register = new Registry();
  const registers = [register];
  let ofNode: Promise<void> | undefined;
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ registers, name, help, labelNames });

  const metrics = {
    requests: counter(
      "toolbooth_requests_total",
      "Requests by route, status and error code",
      "route",
      "status",
      "code",
    ),
    calls: counter("toolbooth_calls_total", "Tool calls by tool and status", "tool", "status"),
    callSeconds: new Histogram({
      registers,
      name: "toolbooth_call_duration_seconds",
      help: "Time from a call's headers to its response by tool",
      labelNames: ["tool"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
    creditsCharged: counter("toolbooth_credits_charged_total", "Credits charged by tool", "tool"),
    callsNotDelivered: counter(
      "toolbooth_calls_not_delivered_total",
      "Successful calls whose connection was lost before the response was sent, by tool",
      "tool",
    ),
    batchOrders: new Histogram({
      registers,
      name: "toolbooth_ledger_batch_orders",
      help: "Orders per ledger transaction",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    }),
    commitSeconds: new Histogram({
      registers,
      name: "toolbooth_ledger_commit_seconds",
      help: "Duration of a ledger transaction, including its sync to disk",
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5],
    }),
    ledgerLosses: counter(
      "toolbooth_ledger_losses_total",
      "Times the ledger was lost: its thread crashed, or PostgreSQL closed a connection",
    ),
    rejections: counter(
      "toolbooth_dashboard_rejections_total",
      "Rejected sign-ins, sign-ups and other dashboard requests by reason",
      "reason",
    ),
    throttledKeys: counter(
      "toolbooth_throttled_keys_total",
      "Unknown keys rejected without asking the ledger, because their network had sent many invalid ones",
    ),
    lateSettlements: counter(
      "toolbooth_late_settlements_total",
      "Calls that ended after their hold had been released, because this process or the database was frozen for longer than its lease",
    ),
    holdsExpired: counter(
      "toolbooth_holds_expired_total",
      "Holds that this node ended because their lease had expired: the server of their calls had died or was frozen",
    ),
    requestsNotLogged: counter(
      "toolbooth_requests_not_logged_total",
      "Requests that the request log lost, because it was unreachable, or could not keep up",
    ),
    connectionsDropped: counter(
      "toolbooth_connections_dropped_total",
      "Connections closed on arrival, because the server had as many as it accepts",
    ),
  };
  // An alert on the rate of a reason needs its zero.
  for (const reason of REJECTIONS) metrics.rejections.inc({ reason }, 0);
  addReadMetrics(registers, sources);
  return {
    ...metrics,
    async read() {
      ofNode ??= watchNode(register);
      await ofNode;
      return { contentType: register.contentType, text: await register.metrics() };
    },
  };
}

/** Adds the metrics of Node at the first scrape: watching the delay of the event loop wakes the process a hundred times a second. */
async function watchNode(register: Registry): Promise<void> {
  const { collectDefaultMetrics } = await import("prom-client");
  collectDefaultMetrics({ register });
}

/** Counts a request when its response has left, or its connection has been lost before. */
export function countRequest(
  metrics: NodeMetrics,
  { route, tool, status, code, charged, delivered, durationMs }: AccessLogEntry,
): void {
  metrics.requests.inc({ route, status, code: code ?? "" });
  if (tool === null) return;
  metrics.calls.inc({ tool, status });
  metrics.callSeconds.observe({ tool }, durationMs / 1_000);
  if (charged !== null && charged > 0) metrics.creditsCharged.inc({ tool }, charged);
  if (!delivered && status === 200) metrics.callsNotDelivered.inc({ tool });
}

/** A value by its labels. */
type Row = readonly [labels: Record<string, string>, value: number];
type Read = () => readonly Row[] | Promise<readonly Row[]>;

/** What is not known or cannot be read, such as on a disk that fails, is left out: the others are needed most then. */
async function collect(metric: Gauge | Counter, read: Read): Promise<void> {
  metric.reset();
  // Without labels it would be 0.
  metric.remove({});
  try {
    for (const [labels, value] of await read()) metric.inc(labels, value);
  } catch {}
}

/** Adds the metrics that are read when Prometheus asks. */
function addReadMetrics(registers: Registry[], sources: Sources): void {
  const { storage, faults, database, dashboard } = sources;
  const gauges = (name: string, help: string, labelNames: string[], read: Read) =>
    new Gauge({ registers, name, help, labelNames, collect: bound(read) });
  const counters = (name: string, help: string, labelNames: string[], read: Read) =>
    new Counter({ registers, name, help, labelNames, collect: bound(read) });
  const gauge = (name: string, help: string, read: () => number | null | undefined) =>
    gauges(name, help, [], () => only(read()));
  gauge("toolbooth_ledger_waiting_orders", "Orders waiting for the ledger", sources.ledger);
  gauge(
    "toolbooth_tool_pool_waiting_jobs",
    "Large inputs and calls of own tools waiting for a tool thread",
    sources.tools,
  );
  const holds = () => dashboard()?.holds;
  gauge("toolbooth_holds", "Calls that hold credits while they run", () => holds()?.holds);
  gauge("toolbooth_held_credits", "Credits that running calls hold", () => holds()?.credits);
  gauge(
    "toolbooth_kept_response_bytes",
    "Size of the responses that are kept for repeats of their calls",
    () => holds()?.keptBytes,
  );
  gauge(
    "toolbooth_disk_free_bytes",
    "Free space on the disk of DATA_DIR that the server can use",
    storage.freeBytes,
  );
  gauges(
    "toolbooth_fault",
    "1 while a fault that needs the operator lasts, by name",
    ["name"],
    // An alert needs the zeros of the others.
    () => FAULT_NAMES.map((name) => [{ name }, faults().has(name) ? 1 : 0]),
  );
  const jobs = async () => [
    ...(dashboard()?.jobs ?? []),
    ...(await sources.reversals().catch(() => [])),
  ];
  gauges("toolbooth_jobs", "Background jobs by queue and state", ["queue", "state"], async () =>
    (await jobs()).flatMap(({ queue, waiting, dead }) => [
      [{ queue, state: "waiting" }, waiting],
      [{ queue, state: "dead" }, dead],
    ]),
  );
  gauges(
    "toolbooth_jobs_oldest_seconds",
    "Age of the oldest waiting job by queue",
    ["queue"],
    async () =>
      (await jobs()).map(({ queue, oldestAt }) => [
        { queue },
        secondsSince(oldestAt ?? Date.now()),
      ]),
  );
  const signUps = () => dashboard()?.signUps;
  gauges(
    "toolbooth_starter_claims_today",
    "New accounts of this UTC day by the outcome of their starter credits",
    ["outcome"],
    () => {
      const counts = new Map(
        signUps()?.starters.map(({ outcome, count }) => [outcome, count] as const),
      );
      const outcomes = signUps() === undefined ? [] : STARTER_OUTCOMES;
      return outcomes.map((outcome) => [{ outcome }, counts.get(outcome) ?? 0]);
    },
  );
  gauges(
    "toolbooth_requested_emails",
    "Emails of this UTC hour and day that people caused without signing in",
    ["group", "window"],
    () =>
      Object.entries(signUps()?.requested ?? {}).flatMap(([group, { hour, day }]) => [
        [{ group, window: "hour" }, hour],
        [{ group, window: "day" }, day],
      ]),
  );
  counters(
    "toolbooth_emails_dropped_total",
    "Emails that this node dropped by reason",
    ["reason"],
    () => Object.entries(signUps()?.dropped ?? {}).map(([reason, times]) => [{ reason }, times]),
  );
  if (database !== null) {
    const measures = remember(database);
    gauge("toolbooth_database_bytes", "Size of the PostgreSQL database", () => measures()?.bytes);
    gauge(
      "toolbooth_database_oldest_transaction_seconds",
      "Age of the oldest transaction that keeps PostgreSQL from removing old versions of rows",
      () => secondsOf(measures()?.oldestTransactionMs),
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
    () => secondsOf(storage.wal()?.checkpointAgeMs),
  );
  counters(
    "toolbooth_wal_checkpoint_failures_total",
    "Checkpoints of the write-ahead log that failed",
    [],
    () => only(storage.wal()?.failures ?? 0),
  );
}

const bound = (read: Read) =>
  function (this: Gauge | Counter) {
    return collect(this, read);
  };

const only = (value: number | null | undefined): Row[] => (value == null ? [] : [[{}, value]]);
const secondsOf = (ms: number | undefined) => ms && ms / 1_000;
const secondsSince = (at: number) => Math.max(0, Date.now() - at) / 1_000;

/** PostgreSQL is measured at most this often. The measures of a scrape are those of the one before it. */
const MEASURED_EVERY_MS = 15_000;

/** Returns the last measures, and measures again in the background, so that a scrape does not wait for a database that is down. */
function remember(measure: () => Promise<DatabaseMeasures>): () => DatabaseMeasures | null {
  let last: DatabaseMeasures | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;
  const keep = (measured: DatabaseMeasures | null) => {
    last = measured;
  };
  return () => {
    if (performance.now() >= nextAt) {
      nextAt = performance.now() + MEASURED_EVERY_MS;
      measure().then(keep, () => keep(null));
    }
    return last;
  };
}

#!/usr/bin/env bash
# A gauge with the balance of each account is read in a callback, from two libraries of metrics. An account is closed, so the callback reports it no longer.
# Expected: its series goes, since only what the callback reports is there; the specification of OpenTelemetry asks for that where values are observed.
# Seen on 2026-11-29: @opentelemetry/sdk-metrics 3.1.1 goes on exporting the last balance with each collection, for gauges and for counters, and prom-client 15.1.3 does with `collect()`. So a sum over accounts counts
# those that are gone, an alert on a low balance never ends, and the number of series only grows. In prom-client `this.reset()` at the start of `collect()` helps.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @opentelemetry/api@1.10.0 @opentelemetry/sdk-metrics@3.1.1 prom-client@15.1.3
cat > seen.mjs <<'JS'
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { Gauge, Registry } from "prom-client";
class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}
const balances = { ann: 5, bob: 7 };
const reader = new Reader();
const meter = new MeterProvider({ readers: [reader] }).getMeter("ledger");
const observe = (result) => {
  for (const [account, balance] of Object.entries(balances)) result.observe(balance, { account });
};
meter.createObservableGauge("balance").addCallback(observe);
meter.createObservableCounter("spent").addCallback(observe);
const gauge = (reset) =>
  new Gauge({
    name: "balance",
    help: "credits",
    labelNames: ["account"],
    registers: [new Registry()],
    collect() {
      if (reset) this.reset();
      for (const [account, balance] of Object.entries(balances)) this.set({ account }, balance);
    },
  });
const gauges = { "prom-client": gauge(false), "prom-client with reset": gauge(true) };
const collect = async (when) => {
  const { resourceMetrics } = await reader.collect();
  for (const { descriptor, dataPoints } of resourceMetrics.scopeMetrics[0].metrics)
    console.log(`${when}, OpenTelemetry ${descriptor.name}: ${dataPoints.map(({ attributes, value }) => `${attributes.account} ${value}`).join(", ")}`);
  for (const [name, each] of Object.entries(gauges)) console.log(`${when}, ${name}: ${(await each.get()).values.map(({ labels, value }) => `${labels.account} ${value}`).join(", ")}`);
};
await collect("before");
delete balances.bob;
await collect("after");
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'before, OpenTelemetry balance: ann 5, bob 7
before, OpenTelemetry spent: ann 5, bob 7
before, prom-client: ann 5, bob 7
before, prom-client with reset: ann 5, bob 7
after, OpenTelemetry balance: ann 5, bob 7
after, OpenTelemetry spent: ann 5, bob 7
after, prom-client: ann 5, bob 7
after, prom-client with reset: ann 5' ]

#!/usr/bin/env bash
# Counters of credits in two libraries of metrics: 1, then what comes out when a price is not found (NaN, undefined or null), then 2.
# Expected: 3, with an error or a message for the one in between, as both have for negative numbers.
# Seen on 2026-11-29: with NaN the counter is NaN for as long as the process runs, in @opentelemetry/sdk-metrics 3.1.1 (counters that go up and down too) and in prom-client 15.1.3, without a message: dashboards show a
# gap and `increase()` finds nothing. Histograms leave NaN out, prom-client's with an error. For undefined and null prom-client counts 1, as for `inc()` without a value; OpenTelemetry leaves them out and says so.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @opentelemetry/api@1.10.0 @opentelemetry/sdk-metrics@3.1.1 prom-client@15.1.3
cat > seen.mjs <<'JS'
import { diag } from "@opentelemetry/api";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { Counter, Histogram, Registry } from "prom-client";
class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}
let messages = 0;
const say = () => (messages += 1);
diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} });
const instruments = {
  "OpenTelemetry counter": (meter) => meter.createCounter("credits"),
  "OpenTelemetry up and down": (meter) => meter.createUpDownCounter("credits"),
  "OpenTelemetry histogram": (meter) => meter.createHistogram("credits"),
};
const observed = (kind) => {
  const reader = new Reader();
  const instrument = instruments[kind](new MeterProvider({ readers: [reader] }).getMeter("ledger"));
  const read = async () => {
    const [{ value }] = (await reader.collect()).resourceMetrics.scopeMetrics[0].metrics[0].dataPoints;
    return value.sum ?? value;
  };
  return [(value) => (instrument.add ?? instrument.record).call(instrument, value), read];
};
const options = () => ({ name: "credits", help: "credits", registers: [new Registry()] });
const kinds = {
  ...Object.fromEntries(Object.keys(instruments).map((kind) => [kind, () => observed(kind)])),
  "prom-client counter": () => {
    const counter = new Counter(options());
    return [(value) => counter.inc(value), async () => (await counter.get()).values[0].value];
  },
  "prom-client histogram": () => {
    const histogram = new Histogram(options());
    return [(value) => histogram.observe(value), async () => (await histogram.get()).values.find(({ metricName }) => metricName.endsWith("_sum")).value];
  },
};
for (const [name, make] of Object.entries(kinds)) {
  const seen = [];
  for (const value of [Number.NaN, undefined, null]) {
    const [add, read] = make();
    messages = 0;
    let end = "";
    for (const each of [1, value, 2]) {
      try {
        add(each);
      } catch {
        end = " and an error";
      }
    }
    seen.push(`${value} ${await read()}${end}${messages === 0 ? "" : " and a message"}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'OpenTelemetry counter: NaN NaN, undefined 3 and a message, null 3 and a message
OpenTelemetry up and down: NaN NaN, undefined 3 and a message, null 3 and a message
OpenTelemetry histogram: NaN 3, undefined 3 and a message, null 3 and a message
prom-client counter: NaN NaN, undefined 4, null 4
prom-client histogram: NaN 3 and an error, undefined 3 and an error, null 3 and an error' ]

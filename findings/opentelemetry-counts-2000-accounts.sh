#!/usr/bin/env bash
# A counter of credits with the account as attribute, for 5,000 accounts: what do two libraries of metrics export?
# Expected: 5,000 series from both, or an error or a message where a limit is reached.
# Seen on 2026-11-29: @opentelemetry/sdk-metrics 3.1.1 keeps the 1,999 accounts that come first and adds all others up in
# one series, `otel.metric.overflow`; nothing is logged. The sum is right, the account is lost. `aggregationCardinalityLimit`
# of a view raises the limit. prom-client 15.1.3 keeps all. Who bills or limits by such a counter loses every account from the 2,000th on.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @opentelemetry/api@1.10.0 @opentelemetry/sdk-metrics@3.1.1 prom-client@15.1.3
cat > seen.mjs <<'JS'
import { diag, DiagConsoleLogger } from "@opentelemetry/api";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { Counter, Registry } from "prom-client";
diag.setLogger(new DiagConsoleLogger());
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
const counter = provider.getMeter("calls").createCounter("credits");
const registry = new Registry();
const other = new Counter({ name: "credits", help: "Credits.", labelNames: ["account"], registers: [registry] });
for (let account = 0; account < 5_000; account += 1) {
  counter.add(1, { account });
  other.inc({ account });
}
await provider.forceFlush();
const points = exporter.getMetrics()[0].scopeMetrics[0].metrics[0].dataPoints;
const rest = points.find((point) => point.attributes["otel.metric.overflow"] === true);
console.log(`OpenTelemetry: ${points.length - 1} accounts, and ${rest.value} credits of nobody`);
console.log(`prom-client: ${(await registry.getMetricsAsJSON())[0].values.length} accounts`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'OpenTelemetry: 1999 accounts, and 3001 credits of nobody
prom-client: 5000 accounts' ]

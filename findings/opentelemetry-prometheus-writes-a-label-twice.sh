#!/usr/bin/env bash
# @opentelemetry/exporter-prometheus 0.301.0: a counter has the attributes `http.route` and `http_route`, an old name and a new one side by side.
# Expected: one label with both values joined by a semicolon, as OpenTelemetry's rules for Prometheus ask for, or one of the values.
# Seen on 2026-11-29: a sample with the label `http_route` twice, which the text format does not allow; a reader of it may refuse all metrics of the
# service for one such sample. Two counters `calls` and `calls_total` are not told apart either: the exporter adds `_total` to the first
# name, and both write the same series with different values.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @opentelemetry/api@1.10.0 @opentelemetry/sdk-metrics@3.1.1 @opentelemetry/exporter-prometheus@0.301.0
cat > seen.mjs <<'JS'
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
const exporter = new PrometheusExporter({ preventServerStart: true });
const meter = new MeterProvider({ readers: [exporter] }).getMeter("m");
meter.createCounter("requests").add(1, { "http.route": "/old", http_route: "/new" });
meter.createCounter("calls").add(1);
meter.createCounter("calls_total").add(7);
const { resourceMetrics } = await exporter.collect();
const text = new PrometheusSerializer().serialize(resourceMetrics);
console.log(text.split("\n").filter((line) => /^(requests|calls)/.test(line)).join("\n"));
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'requests_total{http_route="/old",http_route="/new",otel_scope_name="m"} 1
calls_total{otel_scope_name="m"} 1
calls_total{otel_scope_name="m"} 7' ]

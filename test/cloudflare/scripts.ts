import { createHash, randomUUID } from "node:crypto";
import { ApiProblem } from "./api-error.ts";

/**
 * The Workers of an account. What the platform rejects is rejected here too: a binding to a Worker, a class or a database that does
 * not exist, migrations that do not follow on the applied ones, values that a version inherits from nowhere.
 */
export type Binding = {
  type: string;
  name: string;
  text?: string;
  class_name?: string;
  script_name?: string;
  service?: string;
  id?: string;
  database_id?: string;
};

export type Module = { name: string; type: string; contents: Buffer };

export type Version = {
  id: string;
  bindings: Binding[];
  modules: Module[];
  compatibility_date: string;
  compatibility_flags: string[];
  limits: { cpu_ms?: number };
  placement: unknown;
  /** Asset files by path; null for a Worker without assets. */
  assets: { files: Map<string, Buffer>; config: Record<string, unknown> } | null;
};

export type Script = {
  name: string;
  versions: Version[];
  deployed: Version;
  deployments: { id: string; versions: { version_id: string; percentage: number }[] }[];
  /** Classes of Durable Objects that its migrations have created. */
  classes: Set<string>;
  migrationTag: string | null;
  subdomain: { enabled: boolean; previews_enabled: boolean };
  schedules: string[];
  observability: unknown;
};

type Metadata = {
  main_module?: string;
  bindings?: Binding[];
  keep_bindings?: string[];
  compatibility_date?: string;
  compatibility_flags?: string[];
  limits?: { cpu_ms?: number };
  placement?: unknown;
  observability?: unknown;
  migrations?: { old_tag?: string; new_tag?: string; steps?: { new_sqlite_classes?: string[] }[] };
  assets?: { jwt: string; config?: Record<string, unknown> };
};

/** What a Worker can be bound to. */
export type Surroundings = {
  scripts: ReadonlyMap<string, Script>;
  hasDatabase(id: string): boolean;
  /** Returns the files of a finished upload session. */
  assetsOf(jwt: string, script: string): Map<string, Buffer>;
  isPaid: boolean;
};

export async function readUpload(
  form: FormData,
  script: Script | undefined,
  name: string,
  around: Surroundings,
): Promise<{ version: Version; metadata: Metadata }> {
  const text = form.get("metadata");
  if (typeof text !== "string") throw new ApiProblem(400, 10021, "No metadata");
  const metadata = JSON.parse(text) as Metadata;
  const modules = await readModules(form);
  if (!modules.some((module) => module.name === metadata.main_module))
    throw new ApiProblem(400, 10021, `main_module ${metadata.main_module} is not in the upload`);
  if (metadata.compatibility_date === undefined)
    throw new ApiProblem(400, 10021, "compatibility_date is missing");
  if (metadata.limits?.cpu_ms !== undefined && !around.isPaid)
    throw new ApiProblem(400, 100_328, "CPU limits are not supported for the Free plan.");
  const classes = migratedClasses(metadata, script);
  const bindings = keptBindings(metadata, script?.deployed);
  for (const binding of bindings) checkBinding(binding, name, classes, around);
  const version = {
    id: randomUUID(),
    bindings,
    modules,
    compatibility_date: metadata.compatibility_date,
    compatibility_flags: metadata.compatibility_flags ?? [],
    limits: metadata.limits ?? {},
    placement: metadata.placement ?? null,
    assets:
      metadata.assets === undefined
        ? null
        : {
            files: around.assetsOf(metadata.assets.jwt, name),
            config: metadata.assets.config ?? {},
          },
  };
  return { version, metadata };
}

async function readModules(form: FormData): Promise<Module[]> {
  const modules: Module[] = [];
  for (const [name, part] of form) {
    if (typeof part === "string") continue;
    modules.push({ name, type: part.type, contents: Buffer.from(await part.arrayBuffer()) });
  }
  return modules;
}

/** Returns the classes that exist after this upload. */
export function migratedClasses(
  { migrations }: Metadata,
  script: Script | undefined,
): ReadonlySet<string> {
  const before = script?.classes ?? new Set<string>();
  if (migrations === undefined) return before;
  if ((migrations.old_tag ?? null) !== (script?.migrationTag ?? null))
    throw new ApiProblem(412, 10079, "The migration tag precondition failed");
  const added = (migrations.steps ?? []).flatMap((step) => step.new_sqlite_classes ?? []);
  const twice = added.find((name) => before.has(name));
  if (twice !== undefined)
    throw new ApiProblem(400, 10074, `Cannot apply new_sqlite_classes to existing class ${twice}`);
  return new Set([...before, ...added]);
}

/** A version keeps what `keep_bindings` names by type, unless it brings a binding of this name. */
function keptBindings(metadata: Metadata, deployed: Version | undefined): Binding[] {
  const given = metadata.bindings ?? [];
  const names = given.map(({ name }) => name);
  if (new Set(names).size !== names.length)
    throw new ApiProblem(400, 10021, "Two bindings have the same name");
  const kept = (deployed?.bindings ?? []).filter(
    ({ type, name }) => metadata.keep_bindings?.includes(type) === true && !names.includes(name),
  );
  return [...given, ...kept];
}

function checkBinding(
  binding: Binding,
  script: string,
  classes: ReadonlySet<string>,
  { scripts, hasDatabase }: Surroundings,
): void {
  const { type, name, service, class_name = "", script_name } = binding;
  if (type === "d1" && !hasDatabase(binding.id ?? binding.database_id ?? ""))
    throw new ApiProblem(
      400,
      10021,
      `binding ${name} of type d1 must have a valid \`id\` specified`,
    );
  if (type === "service" && !scripts.has(service ?? ""))
    throw new ApiProblem(
      400,
      10143,
      `Could not resolve service binding '${name}'. Target script '${service}' not found.`,
    );
  if (type !== "durable_object_namespace") return;
  const isOwn = script_name === undefined || script_name === script;
  const owners = isOwn ? classes : scripts.get(script_name)?.classes;
  if (owners?.has(class_name) === true) return;
  throw new ApiProblem(
    400,
    10061,
    `Cannot create binding for class '${class_name}' of ${script_name ?? script} because it is not currently configured to implement Durable Objects.`,
  );
}

/** Makes a version the deployed one. */
export function deployVersion(
  scripts: Map<string, Script>,
  name: string,
  version: Version,
  metadata: Metadata | null,
): Script {
  const before = scripts.get(name);
  const script: Script = {
    subdomain: { enabled: false, previews_enabled: false },
    schedules: [],
    ...before,
    name,
    classes:
      metadata === null
        ? (before?.classes ?? new Set())
        : new Set(migratedClasses(metadata, before)),
    migrationTag: metadata?.migrations?.new_tag ?? before?.migrationTag ?? null,
    observability: metadata?.observability ?? before?.observability ?? null,
    versions: [...(before?.versions ?? []).filter((each) => each !== version), version],
    deployed: version,
    deployments: [
      { id: randomUUID(), versions: [{ version_id: version.id, percentage: 100 }] },
      ...(before?.deployments ?? []),
    ],
  };
  scripts.set(name, script);
  return script;
}

export const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");

import { type CloudflareApi, unlessMissing } from "./cloudflare-api.ts";
import { DeployError } from "./deploy-error.ts";
import type { WorkerConfig } from "./worker-configs.ts";

/** What the account has of the service. Reading it changes nothing. */
export type DeployedState = {
  accountId: string;
  /** The account's subdomain of workers.dev; null if it has none. */
  subdomain: string | null;
  databaseId: string | null;
  api: DeployedWorker | null;
  site: DeployedWorker | null;
  /** The custom domains of the API Worker. */
  domains: readonly string[];
};

export type DeployedWorker = {
  /** Names of its settings, as secrets or plain variables. */
  settings: ReadonlySet<string>;
  /** Those that are plain variables, which a secret cannot replace. */
  variables: readonly string[];
  /** It binds no other Worker. The API Worker does when its first deployment is complete. */
  isAlone: boolean;
};

type Binding = { type: string; name: string; class_name?: string };

/** No such Worker, or no subdomain. */
const NOT_FOUND_CODES = [10007, 10090];

/** Returns the id that is configured, or that of the only account that the token is for. */
export async function findAccount(api: CloudflareApi, configured: string | null): Promise<string> {
  if (configured !== null) {
    if (/^[0-9a-f]{32}$/i.test(configured)) return configured;
    throw new DeployError(
      "CLOUDFLARE_ACCOUNT_ID is not an account id, which has 32 hexadecimal digits.",
      "Copy it from Cloudflare's dashboard (Workers & Pages).",
    );
  }
  const accounts = await api.get<{ id: string; name: string }[]>("/accounts?per_page=50");
  const [only] = accounts;
  if (accounts.length === 1 && only !== undefined) return only.id;
  if (accounts.length === 0)
    throw new DeployError(
      "The token is for no account that it may list.",
      "Set CLOUDFLARE_ACCOUNT_ID, or create the token for your account.",
    );
  const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new DeployError(
    `The token is for several accounts:\n${list}`,
    "Set CLOUDFLARE_ACCOUNT_ID to one of them.",
  );
}

export async function inspectAccount(
  api: CloudflareApi,
  accountId: string,
  configs: { api: WorkerConfig; site: WorkerConfig },
): Promise<DeployedState> {
  const base = `/accounts/${accountId}`;
  const [database] = configs.api.d1_databases;
  const name = database?.database_name ?? configs.api.name;
  // The first read alone, so that a wrong token or account gives one error.
  const subdomain = await unlessMissing(
    api.get<{ subdomain: string }>(`${base}/workers/subdomain`),
    NOT_FOUND_CODES,
  );
  const [databases, apiWorker, siteWorker, domains] = await Promise.all([
    api.get<{ name: string; uuid: string }[]>(
      `${base}/d1/database?name=${encodeURIComponent(name)}`,
    ),
    findWorker(api, accountId, configs.api),
    findWorker(api, accountId, configs.site),
    api.get<{ hostname: string }[]>(`${base}/workers/domains?service=${configs.api.name}`),
  ]);
  return {
    accountId,
    subdomain: subdomain?.subdomain ?? null,
    // The filter also finds names that only contain this one.
    databaseId: databases.find((each) => each.name === name)?.uuid ?? null,
    api: apiWorker,
    site: siteWorker,
    domains: domains.map(({ hostname }) => hostname),
  };
}

/** Throws if a Worker of this name is another program, because a deployment would replace it. */
async function findWorker(
  api: CloudflareApi,
  accountId: string,
  { name, durable_objects }: WorkerConfig,
): Promise<DeployedWorker | null> {
  const settings = await unlessMissing(
    api.get<{ bindings?: Binding[] }>(`/accounts/${accountId}/workers/scripts/${name}/settings`),
    NOT_FOUND_CODES,
  );
  if (settings === null) return null;
  const { bindings = [] } = settings;
  const [object] = durable_objects.bindings;
  const isOurs = bindings.some(
    (each) => each.type === "durable_object_namespace" && each.class_name === object?.class_name,
  );
  if (!isOurs) {
    throw new DeployError(
      `The account has a Worker named ${name} that is not this service: it has no Durable Objects of the class ${object?.class_name}.`,
      `Rename or delete that Worker, or deploy to another account.`,
    );
  }
  const named = (type: string) => bindings.filter((each) => each.type === type);
  return {
    settings: new Set([...named("secret_text"), ...named("plain_text")].map((each) => each.name)),
    variables: named("plain_text").map((each) => each.name),
    isAlone: named("service").length === 0,
  };
}

/** Throws unless the domain is in an active zone of the account and no other Worker has it. */
export async function checkDomain(
  api: CloudflareApi,
  { accountId }: DeployedState,
  domain: string,
  worker: string,
): Promise<void> {
  const zone = await findZone(api, domain);
  if (zone === null || zone.account.id !== accountId) {
    throw new DeployError(
      zone === null
        ? `The token finds no zone for ${domain}.`
        : `${domain} belongs to another account of Cloudflare (its zone is ${zone.name}).`,
      zone === null
        ? "Add the domain to the account in Cloudflare's dashboard, or use the account that has it. The token needs Zone: Read for the zone."
        : "Set CLOUDFLARE_ACCOUNT_ID and the token to that account, or choose another domain.",
    );
  }
  if (zone.status !== "active") {
    throw new DeployError(
      `The zone ${zone.name} is not active yet (${zone.status}).`,
      "Set the name servers that Cloudflare's dashboard shows, at your registrar, and wait until the zone is active.",
    );
  }
  const owners = await api.get<{ hostname: string; service: string }[]>(
    `/accounts/${accountId}/workers/domains?hostname=${domain}`,
  );
  const owner = owners.find(({ hostname }) => hostname === domain)?.service ?? worker;
  if (owner !== worker) {
    throw new DeployError(
      `${domain} is the domain of the Worker ${owner}.`,
      `Remove it from that Worker in Cloudflare's dashboard (Settings, Domains & Routes), or choose another domain.`,
    );
  }
}

type Zone = { name: string; status: string; account: { id: string } };

/** The zone of tools.example.com is tools.example.com, or else example.com. */
async function findZone(api: CloudflareApi, domain: string): Promise<Zone | null> {
  const labels = domain.split(".");
  for (let first = 0; first <= labels.length - 2; first += 1) {
    const name = labels.slice(first).join(".");
    const [zone] = await api.get<Zone[]>(`/zones?name=${name}`);
    if (zone !== undefined) return zone;
  }
  return null;
}

type Changeset = { conflicting: { hostname: string }[] };

/** Throws if the domain has DNS records. Without a terminal Wrangler would replace them without asking. */
export async function checkDnsRecords(
  api: CloudflareApi,
  accountId: string,
  worker: string,
  domains: readonly string[],
): Promise<void> {
  const { conflicting } = await api.send<Changeset>(
    `/accounts/${accountId}/workers/scripts/${worker}/domains/changeset?replace_state=true`,
    domains.map((hostname) => ({ hostname })),
  );
  if (conflicting.length === 0) return;
  throw new DeployError(
    `There are DNS records already for ${conflicting.map(({ hostname }) => hostname).join(", ")}.`,
    "If nothing else uses them, delete them in Cloudflare's dashboard (DNS, Records); the deployment creates its own. Otherwise choose another domain.",
  );
}

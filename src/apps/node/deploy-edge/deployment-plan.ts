import { randomBytes } from "node:crypto";
import type { Arguments } from "./arguments.ts";
import { DeployError } from "./deploy-error.ts";
import type { DeployedState, DeployedWorker } from "./deployed-state.ts";
import type { Settings } from "./settings-file.ts";

/** What a deployment is to reach, from the arguments, the settings file and what the account has. */
export type DeploymentPlan = {
  publicUrl: string;
  /** The custom domains of the API Worker, the requested one first. Empty: workers.dev. */
  domains: readonly string[];
  /** The settings with those that the command adds. */
  settings: Settings;
  /** What to write to the settings file. */
  additions: Readonly<Record<string, string>>;
  /** Whether the Workers have a SECRET that stays. */
  keepsSecret: boolean;
  /** Whether a Worker has a SECRET that this run replaces with the one in the file. */
  replacesSecret: boolean;
  /** What the operator should know. */
  messages: readonly string[];
};

/** Must be filled in by the operator before anything can be deployed. */
const TO_FILL_IN = ["MAIL_API_TOKEN", "MAIL_FROM"];

export function planDeployment(
  { domain: requested, location, settingsFile, replaceSecret }: Arguments,
  deployed: DeployedState,
  names: { api: string; site: string },
  file: Settings | null,
): DeploymentPlan {
  const kept = file ?? {};
  const domain = requested ?? domainIn(kept["PUBLIC_URL"], settingsFile);
  rejectForgottenDomain(domain, deployed, names.api, file);
  const publicUrl = `https://${domain ?? workersDevHost(deployed, names.api)}`;
  const additions: Record<string, string> = {};
  if (kept["PUBLIC_URL"] !== publicUrl) additions["PUBLIC_URL"] = publicUrl;
  if (location !== null && kept["TOOLBOOTH_JURISDICTION"]) {
    throw new DeployError(
      `--location cannot be used with TOOLBOOTH_JURISDICTION, which is in ${settingsFile}.`,
      "Use one of them: the database is created in the jurisdiction.",
    );
  }
  const isSecretDeployed = requireOneSecret(kept, deployed, names, settingsFile);
  if (replaceSecret && isSecretDeployed && !kept["SECRET"]) {
    throw new DeployError(
      `${settingsFile} has no SECRET to replace the deployed one.`,
      "Put the new SECRET into the file, as a list with the old one.",
    );
  }
  const replacesSecret = isSecretDeployed && replaceSecret;
  const keepsSecret = isSecretDeployed && !replacesSecret;
  if (!kept["SECRET"] && !isSecretDeployed) additions["SECRET"] = randomBytes(32).toString("hex");
  if (!kept["TOOLBOOTH_OPERATOR_TOKEN"] && !has(deployed.site, "TOOLBOOTH_OPERATOR_TOKEN"))
    additions["TOOLBOOTH_OPERATOR_TOKEN"] = randomBytes(32).toString("hex");
  for (const name of TO_FILL_IN)
    if (kept[name] === undefined && !has(deployed.site, name)) additions[name] = "";
  return {
    publicUrl,
    domains:
      domain === null ? [] : [domain, ...deployed.domains.filter((other) => other !== domain)],
    settings: { ...kept, ...additions },
    additions,
    keepsSecret,
    replacesSecret,
    messages: messagesOn(domain, deployed, { keepsSecret, replacesSecret }, kept),
  };
}

const has = (worker: DeployedWorker | null, name: string) => worker?.settings.has(name) === true;

/** The domain in PUBLIC_URL of an earlier run; null for an address at workers.dev, or if there is none. */
function domainIn(publicUrl: string | null | undefined, file: string): string | null {
  if (!publicUrl) return null;
  const url = URL.parse(publicUrl);
  if (url === null || url.protocol !== "https:" || url.pathname !== "/" || url.port !== "") {
    throw new DeployError(
      `PUBLIC_URL in ${file} is not an https address without port and path.`,
      "Remove it and use --domain.",
    );
  }
  return url.hostname.endsWith(".workers.dev") ? null : url.hostname;
}

/** Without its domain, an update from another machine would move the service to workers.dev. */
function rejectForgottenDomain(
  domain: string | null,
  { domains }: DeployedState,
  worker: string,
  file: Settings | null,
): void {
  if (domain !== null || domains.length === 0 || file?.["PUBLIC_URL"]) return;
  throw new DeployError(
    `The Worker ${worker} has the domain ${domains.join(", ")}, and no domain was given.`,
    `Run the command with --domain ${domains[0]}.`,
  );
}

function workersDevHost({ subdomain, accountId }: DeployedState, worker: string): string {
  if (subdomain !== null) return `${worker}.${subdomain}.workers.dev`;
  throw new DeployError(
    "The account has no subdomain of workers.dev yet.",
    `Register one at https://dash.cloudflare.com/${accountId}/workers/onboarding, or use --domain.`,
  );
}

/** Returns whether SECRET is deployed. Throws if one Worker has a SECRET that the other one cannot get. */
function requireOneSecret(
  kept: Settings,
  deployed: DeployedState,
  names: { api: string; site: string },
  file: string,
): boolean {
  const [inApi, inSite] = [has(deployed.api, "SECRET"), has(deployed.site, "SECRET")];
  if (kept["SECRET"] || inApi === inSite) return inApi || inSite;
  throw new DeployError(
    `The Worker ${inApi ? names.api : names.site} has a SECRET, the other one has none, and ${file} has none either. Both need the same.`,
    `Put the SECRET into ${file}. If it is lost and the service has no keys yet, delete the Worker in Cloudflare's dashboard and start again.`,
  );
}

function messagesOn(
  domain: string | null,
  deployed: DeployedState,
  { keepsSecret, replacesSecret }: { keepsSecret: boolean; replacesSecret: boolean },
  kept: Settings,
): string[] {
  const others = domain === null ? [] : deployed.domains.filter((other) => other !== domain);
  const secrets = kept["SECRET"]?.split(",").length ?? 0;
  return [
    ...(replacesSecret && secrets > 1
      ? [
          "The first SECRET of the list signs new keys. Both Workers must know it before: if they do not, stop, and deploy the list with the old secret first.",
        ]
      : []),
    ...(replacesSecret && secrets === 1
      ? ["Keys that were made with another SECRET than the one in the file stop working."]
      : []),
    ...(keepsSecret && kept["SECRET"]
      ? ["The deployed SECRET stays. --replace-secret would upload the one in the file."]
      : []),
    ...(keepsSecret && !kept["SECRET"]
      ? ["SECRET is deployed but not in the file. Keep it safe: exports need it."]
      : []),
    ...(isJurisdictionLate(deployed, kept)
      ? ["The database exists already; its jurisdiction cannot be changed."]
      : []),
    ...(others.length > 0
      ? [`The Worker keeps its other domains: ${others.join(", ")}. Remove them in the dashboard.`]
      : []),
  ];
}

/** Whether the file adds or deletes TOOLBOOTH_JURISDICTION after the database was created. Cloudflare does not show its value. */
function isJurisdictionLate({ databaseId, api }: DeployedState, kept: Settings): boolean {
  if (databaseId === null || api === null) return false;
  const wanted = kept["TOOLBOOTH_JURISDICTION"];
  return has(api, "TOOLBOOTH_JURISDICTION") ? wanted === null : Boolean(wanted);
}

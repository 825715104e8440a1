import { spawn } from "node:child_process";
import path from "node:path";
import { AccountError } from "#accounts/accounts.ts";
import { CommandError } from "../../cli/command.ts";
import type { Arguments } from "./arguments.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";
import type { FetchService } from "./connect-to.ts";
import { DeployError, Interrupted } from "./deploy-error.ts";
import { checkDnsRecords, type DeployedState, type DeployedWorker } from "./deployed-state.ts";
import type { DeploymentPlan } from "./deployment-plan.ts";
import { createFirstKey, makeCall, waitUntilReady } from "./first-call.ts";
import { type RunWrangler, SECRETS_FILE } from "./run-wrangler.ts";
import { endReplacement } from "./secret-replacement.ts";
import { type Settings, saveSettings, settingsOfWorkers } from "./settings-file.ts";
import { applyMigrations, findPending, tablesCommand } from "./tables.ts";
import { type ConfigFiles, writeConfigs } from "./worker-configs.ts";

export type Step = {
  /** What the step does, as an instruction. */
  title: string;
  /** The command that does it, if it is one; for --dry-run. */
  command?: string;
  /** Resolves to what was done, in a few words. */
  run(): Promise<string>;
};

export type Deployment = {
  args: Arguments;
  checkout: string;
  configFiles: ConfigFiles;
  names: { api: string; site: string; database: string };
  deployed: DeployedState;
  plan: DeploymentPlan;
  api: CloudflareApi;
  wrangler: RunWrangler;
  fetchService: FetchService;
  signal: AbortSignal;
  /** Prints a line. */
  say(text: string): void;
};

/**
 * Lists the steps of a deployment. Each one can be repeated. The site Worker binds the objects of the API Worker, and the API Worker
 * binds the site Worker; so at first the API Worker is deployed alone. In an update the tables come first, because the Workers before
 * it can use the tables after it.
 */
export function listSteps(deployment: Deployment): Step[] {
  const { args, checkout, configFiles, names, deployed, plan, fetchService, signal } = deployment;
  const { settings } = plan;
  const withoutSecret = ({ SECRET, ...rest }: Settings): Settings => rest;
  // A Worker without a SECRET gets it in any case.
  const pick = (wanted: Settings, worker: DeployedWorker | null) =>
    plan.keepsSecret && worker?.settings.has("SECRET") ? withoutSecret(wanted) : wanted;
  const workers = settingsOfWorkers(settings);
  const ofApi = pick(workers.api, deployed.api);
  const ofSite = pick(workers.site, deployed.site);
  return [
    {
      title: "Build the pages and the tables",
      command: "npm run build:edge",
      run: async () => {
        await build(checkout, signal);
        return "built in dist/edge";
      },
    },
    databaseStep(deployment),
    ...(deployed.api === null
      ? [
          deployStep(
            deployment,
            `Deploy the API Worker (${names.api}) alone, because the site Worker binds its objects`,
            configFiles.apiAlone,
            ofApi,
            null,
          ),
        ]
      : []),
    tablesStep(deployment),
    deployStep(
      deployment,
      `Deploy the site Worker (${names.site})`,
      configFiles.site,
      ofSite,
      deployed.site,
    ),
    ...(plan.domains.length > 0
      ? [
          {
            title: `Check the DNS records of ${plan.domains[0]}`,
            run: async () => {
              await checkDnsRecords(deployment.api, deployed.accountId, names.api, plan.domains);
              return "no conflicts";
            },
          },
        ]
      : []),
    afterwards(
      deployStep(
        deployment,
        `Deploy the API Worker (${names.api}) at ${plan.publicUrl}`,
        configFiles.api,
        ofApi,
        deployed.api,
      ),
      () => {
        if (plan.replacesSecret) endReplacement(args.settingsFile);
      },
    ),
    {
      title: `Wait until ${plan.publicUrl}/readyz says that calls succeed`,
      run: async () => {
        const waited = { waitMs: args.waitMs, signal, say: deployment.say };
        const tookMs = await waitUntilReady(plan.publicUrl, fetchService, waited);
        return `ready after ${Math.ceil(tookMs / 1_000)} s`;
      },
    },
    ...callSteps(deployment),
  ];
}

const afterwards = (step: Step, then: () => void): Step => ({
  ...step,
  run: async () => {
    const done = await step.run();
    then();
    return done;
  },
});

function databaseStep({
  args,
  checkout,
  configFiles,
  names,
  deployed,
  plan,
  api,
}: Deployment): Step {
  const { databaseId, accountId } = deployed;
  const use = (id: string) => {
    writeConfigs(checkout, configFiles, { databaseId: id, domains: plan.domains });
    deployed.databaseId = id;
  };
  if (databaseId !== null) {
    return {
      title: `Use the D1 database ${names.database}`,
      run: async () => {
        use(databaseId);
        return `id ${databaseId}`;
      },
    };
  }
  return {
    title: `Create the D1 database ${names.database}`,
    run: async () => {
      const jurisdiction = plan.settings["TOOLBOOTH_JURISDICTION"];
      const { uuid } = await api.send<{ uuid: string }>(`/accounts/${accountId}/d1/database`, {
        name: names.database,
        ...(args.location !== null && { primary_location_hint: args.location }),
        // It cannot be chosen later.
        ...(jurisdiction && { jurisdiction }),
      });
      use(uuid);
      return `created with id ${uuid}`;
    },
  };
}

function tablesStep({ checkout, configFiles, deployed, api, wrangler }: Deployment): Step {
  return {
    title: "Create or update the tables",
    command: ["npx wrangler", ...tablesCommand(configFiles), "<each new migration>"].join(" "),
    run: async () => {
      const id = deployed.databaseId as string;
      const pending = await findPending(api, deployed.accountId, id, configFiles);
      await applyMigrations(wrangler, checkout, configFiles, pending);
      if (pending.length === 0) return "up to date";
      return `applied ${pending.map(({ name }) => name).join(", ")}`;
    },
  };
}

/** Code and settings go into one version, so no version has the one without the other. */
function deployStep(
  { wrangler }: Deployment,
  title: string,
  config: string,
  wanted: Settings,
  deployed: DeployedWorker | null,
): Step {
  const values = Object.fromEntries(
    Object.entries(wanted).filter((each): each is [string, string] => each[1] !== null),
  );
  const deleted = Object.keys(wanted).filter(
    (name) => wanted[name] === null && deployed?.settings.has(name),
  );
  const options = ["deploy", "--config", config, "--secrets-file", SECRETS_FILE];
  return {
    title,
    command: ["npx wrangler", ...options].join(" "),
    run: async () => {
      await wrangler(options, values);
      if (deleted.length > 0) {
        const nulls = Object.fromEntries(deleted.map((name) => [name, null]));
        await wrangler(["secret", "bulk", SECRETS_FILE, "--config", config], nulls);
      }
      const removed = deleted.length > 0 ? `, deleted ${deleted.join(", ")}` : "";
      return `deployed with ${Object.keys(values).join(", ") || "its settings"}${removed}`;
    },
  };
}

function callSteps({ args, plan, fetchService }: Deployment): Step[] {
  const kept = plan.settings["TOOLBOOTH_KEY"] || null;
  const { account } = args;
  if (kept === null && account === null) return [];
  let key = kept;
  const steps: Step[] = [];
  if (kept === null && account !== null) {
    steps.push({
      title: `Create a key for ${account}`,
      run: async () => {
        const first = await orExplain(
          createFirstKey(
            { url: plan.publicUrl, token: operatorToken(plan.settings, args.settingsFile) },
            account,
            fetchService,
          ),
        );
        key = first.key;
        // Stored at once: a key is shown only when it is created.
        saveSettings(args.settingsFile, { TOOLBOOTH_KEY: first.key });
        return `${first.account} the account and created a key (TOOLBOOTH_KEY in ${args.settingsFile})`;
      },
    });
  }
  steps.push({
    title: "Make a call with the key and check its result",
    run: async () => {
      const { charged, remaining } = await makeCall(plan.publicUrl, key ?? "", fetchService);
      return `a correct hash, ${charged} ${charged === "1" ? "credit" : "credits"} charged, ${remaining} left`;
    },
  });
  return steps;
}

/** Returns the first of the tokens, without its name. */
function operatorToken(settings: Settings, file: string): string {
  const token = (settings["TOOLBOOTH_OPERATOR_TOKEN"] ?? "").split(",")[0]?.trim() ?? "";
  if (token !== "") return token.slice(token.indexOf(":") + 1);
  throw new DeployError(
    `${file} has no TOOLBOOTH_OPERATOR_TOKEN, and the deployed one cannot be read.`,
    "Put the token into the file; a new one replaces the deployed one.",
  );
}

async function orExplain<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof CommandError || error instanceof AccountError)
      throw new DeployError(error.message, "Correct what the message names.", { cause: error });
    throw error;
  }
}

function build(checkout: string, signal: AbortSignal): Promise<void> {
  const script = path.join(checkout, "src/apps/node/build-edge.ts");
  const options = ["--disable-warning=ExperimentalWarning", script];
  const child = spawn(process.execPath, options, {
    cwd: checkout,
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", () => reject(new Interrupted()));
    child.on("close", (code) => {
      if (code === 0) resolve();
      else if (signal.aborted) reject(new Interrupted());
      else
        reject(
          new DeployError(
            `The build failed: ${errors.trim() || `status ${code}`}`,
            "Run `npm ci`, then the command again.",
          ),
        );
    });
  });
}

/**
 * `npm run deploy:edge`: deploys both Workers to Cloudflare from an account and a domain, the first time and for updates. It reads what
 * the account has, does what is missing, and can be repeated after any error. Wrangler bundles and uploads.
 */
import { DataFolderError } from "../data-folder.ts";
import { CHECKOUT } from "../wrangler-program.ts";
import { type Arguments, readAccess, readArguments, USAGE } from "./arguments.ts";
import { createCloudflareApi } from "./cloudflare-api.ts";
import { createFetch } from "./connect-to.ts";
import { DeployError, DeployUsageError, Interrupted } from "./deploy-error.ts";
import { checkDomain, findAccount, inspectAccount } from "./deployed-state.ts";
import { planDeployment } from "./deployment-plan.ts";
import { type Deployment, listSteps, type Step } from "./deployment-steps.ts";
import { createWrangler } from "./run-wrangler.ts";
import { beginReplacement, resumeReplacement } from "./secret-replacement.ts";
import { checkSettings, readSettingsFile, saveSettings } from "./settings-file.ts";
import { API_CONFIG, configFilesOf, readWorkerConfig, SITE_CONFIG } from "./worker-configs.ts";

/** Before the first step there is nothing to continue. */
let hasBegun = false;
const INTERRUPTED_EXIT_CODE = 130;

const say = (text: string) => process.stdout.write(`${text}\n`);
const stop = new AbortController();

async function deploy(given: Arguments): Promise<void> {
  const { args, isResumed } = resumeReplacement(given);
  const deployment = await prepare(args);
  const steps = listSteps(deployment);
  const { plan, deployed } = deployment;
  say(`Deploying to ${plan.publicUrl} in the account ${deployed.accountId}`);
  for (const message of plan.messages) say(`Note: ${message}`);
  if (isResumed && plan.replacesSecret)
    say("Note: An earlier run with --replace-secret did not end. This run continues it.");
  if (args.dryRun) return describe(deployment, steps);
  saveSettings(args.settingsFile, plan.additions);
  const made = ["SECRET", "TOOLBOOTH_OPERATOR_TOKEN"].filter((name) => name in plan.additions);
  if (made.length > 0)
    say(
      `Created ${made.join(" and ")} in ${args.settingsFile} (mode 0600). Keep a copy where you keep your secrets.`,
    );
  const siteSettings = deployed.site?.settings ?? new Set<string>();
  checkSettings(plan.settings, siteSettings, args.settingsFile);
  if (plan.replacesSecret) beginReplacement(args.settingsFile);
  hasBegun = true;
  for (const [index, step] of steps.entries()) await perform(step, index + 1, steps.length);
  summarize(deployment);
}

/** Reads the account and the settings, and changes nothing. */
async function prepare(args: Arguments): Promise<Deployment> {
  const access = readAccess(process.env);
  const configs = {
    api: readWorkerConfig(CHECKOUT, API_CONFIG),
    site: readWorkerConfig(CHECKOUT, SITE_CONFIG),
  };
  const names = {
    api: configs.api.name,
    site: configs.site.name,
    database: configs.api.d1_databases[0]?.database_name ?? configs.api.name,
  };
  const settings = readSettingsFile(args.settingsFile);
  const { signal } = stop;
  const api = createCloudflareApi(access, signal);
  const accountId = await findAccount(api, access.accountId);
  const deployed = await inspectAccount(api, accountId, configs);
  const plan = planDeployment(args, deployed, names, settings);
  const [domain] = plan.domains;
  if (domain !== undefined) await checkDomain(api, deployed, domain, names.api);
  const onOutput = (text: string) => args.verbose && process.stdout.write(text);
  const wrangler = createWrangler({ checkout: CHECKOUT, access, accountId, signal, onOutput });
  const fetchService = createFetch(args.connectTo, signal);
  return {
    ...{ args, checkout: CHECKOUT, configFiles: configFilesOf(args.settingsFile) },
    ...{ names, deployed, plan },
    ...{ api, wrangler, fetchService, signal, say },
  };
}

async function perform(step: Step, number: number, count: number): Promise<void> {
  const label = `[${number}/${count}] ${step.title}`;
  say(label);
  try {
    if (stop.signal.aborted) throw new Interrupted();
    say(`      ${await step.run()}`);
  } catch (error) {
    if (stop.signal.aborted) {
      throw new Interrupted(`Interrupted in step ${number} of ${count} (${step.title}).`);
    }
    if (!(error instanceof DeployError || error instanceof DataFolderError)) throw error;
    const advice = error instanceof DeployError ? error.advice : "Correct that.";
    throw new DeployError(
      `Step ${number} of ${count} failed (${step.title}).\n${error.message}`,
      advice,
      { cause: error },
    );
  }
}

function describe({ args, plan }: Deployment, steps: readonly Step[]): void {
  for (const [index, { title, command }] of steps.entries()) {
    say(`[${index + 1}/${steps.length}] ${title}`);
    if (command !== undefined) say(`      ${command}`);
  }
  const added = Object.keys(plan.additions);
  if (added.length > 0) say(`${args.settingsFile} would get ${added.join(", ")}.`);
  say("Nothing was changed (--dry-run).");
}

function summarize({ args, plan, deployed, names }: Deployment): void {
  const isFirst = deployed.site === null || deployed.api?.isAlone !== false;
  const { settingsFile } = args;
  const read = (name: string) =>
    `export ${name === "TOOLBOOTH_OPERATOR_TOKEN" ? `TOOLBOOTH_REMOTE=${plan.publicUrl} ` : ""}${name}=$(node -p 'JSON.parse(fs.readFileSync("${settingsFile}")).${name}')`;
  say(`\n${isFirst ? "Deployed" : "Updated"}: ${plan.publicUrl}`);
  say(`  Workers ${names.api} and ${names.site}, D1 database ${names.database}`);
  say(`  Settings and secrets: ${settingsFile}`);
  say("\nNext steps");
  say(`  Administer accounts from the command line:\n    ${read("TOOLBOOTH_OPERATOR_TOKEN")}`);
  if (plan.settings["TOOLBOOTH_KEY"] || args.account !== null)
    say(`  Make calls with the first key:\n    ${read("TOOLBOOTH_KEY")}`);
  else
    say(
      "  Create an account and make a first call: run the command with --account you@example.com",
    );
  say("  Change a setting: edit the settings file and run the command again");
  say(`  Read the logs: npx wrangler tail ${names.api}, npx wrangler tail ${names.site}`);
}

function report(error: unknown): number {
  const again = `run the command again${hasBegun ? "; it continues where it stopped" : ""}.`;
  const write = (text: string) => process.stderr.write(`${text}\n`);
  if (error instanceof DeployUsageError) {
    write(`${error.message}\nnpm run deploy:edge -- --help lists the options.`);
    return 2;
  }
  if (stop.signal.aborted) {
    write(`${(error as Error).message || "Interrupted."} R${again.slice(1)}`);
    return INTERRUPTED_EXIT_CODE;
  }
  if (error instanceof DeployError) write(`${error.message}\n${error.advice}\nThen ${again}`);
  else if (error instanceof DataFolderError) write(error.message);
  else write(`Unexpected error: ${(error as Error).stack ?? error}`);
  return 1;
}

for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());

try {
  const args = readArguments(process.argv.slice(2), process.env, CHECKOUT);
  if (args === null) process.stdout.write(USAGE);
  else await deploy(args);
} catch (error) {
  process.exitCode = report(error);
}

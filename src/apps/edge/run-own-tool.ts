import { describeThrown, toolFailed, toolTimeout } from "#calls/call-errors.ts";
import { Repeated } from "#calls/idempotency.ts";
import {
  type BeginCall,
  type CallResponse,
  type PreparedCall,
  runToolInPieces,
  type Sources,
  type ToolJob,
} from "#calls/run-tool.ts";
import { ConfigError } from "#config/read-settings.ts";
import { ApiError } from "#errors.ts";
import { OWN_TIME_LIMIT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { missingSecrets, secretsOf } from "#tools/own-tool-context.ts";
import { OWN_TOOLS, type OwnTool } from "./own-tools.ts";

/**
 * Own tools at the edge. They run in the isolate of the Worker, because there are no threads: a call that waits is given up at its time
 * limit, and one that computes without end is ended by the platform's limit on CPU time.
 */

/** Not the promises, because a request may not wait for that of another one. */
const loaded = new Map<string, Tool>();

/** Throws an ApiError `tool_failed` if the module cannot be loaded. */
export async function loadOwnTool(name: string): Promise<Tool> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const own = OWN_TOOLS.find((each) => each.name === name) as OwnTool;
  try {
    const { default: tool } = await own.importTool();
    loaded.set(name, tool);
    return tool;
  } catch (cause) {
    throw toolFailed(name, describeThrown(cause));
  }
}

/** The settings of all own tools. */
export const OWN_SECRETS: readonly string[] = OWN_TOOLS.flatMap(({ secrets }) => secrets);

/** Throws a `ConfigError` that names every setting that a tool needs and `texts` lacks. */
export function requireSecrets(texts: Readonly<Record<string, string>>): void {
  const missing = OWN_TOOLS.flatMap(({ name, secrets }) =>
    missingSecrets(secrets, texts).map(
      (setting) =>
        `The tool ${name} needs the setting ${setting}, which is not set. Run \`npx wrangler secret put ${setting}\` for both Workers.`,
    ),
  );
  if (missing.length > 0) throw new ConfigError(missing.join("\n"));
}

/**
 * `texts`: the Worker's settings. Throws an ApiError: those of a call, `tool_failed` or `tool_timeout`; and `Repeated`, with which a hold
 * says that the response is there.
 */
export async function runOwnTool(
  name: string,
  job: ToolJob,
  sources: Omit<Sources, "own">,
  texts: Readonly<Record<string, string>>,
): Promise<CallResponse> {
  const tool = await loadOwnTool(name);
  const limitMs = tool.timeLimitMs ?? OWN_TIME_LIMIT_MS;
  const late = Promise.withResolvers<never>();
  const ending = new AbortController();
  const startLimit = () =>
    setTimeout(() => {
      ending.abort();
      late.reject(toolTimeout(name, limitMs));
    }, limitMs);
  let timer = startLimit();
  const pay = sources.begin;
  /** The time limit is of the tool's own work: it begins anew when the call is paid. A call whose time was over before runs nothing. */
  async function begin(prepared: PreparedCall): Promise<string> {
    ending.signal.throwIfAborted();
    clearTimeout(timer);
    const callId = await (pay as BeginCall)(prepared);
    timer = startLimit();
    return callId;
  }
  const own = {
    signal: ending.signal,
    secrets: secretsOf(tool.secrets ?? [], texts),
    // Workers reach no private network, so what a name resolves to needs no check.
    fetch: (...sent: Parameters<typeof fetch>) => fetch(...sent),
    log: (message: string, callId: string) =>
      console.log(JSON.stringify({ message, tool: name, callId })),
  };
  try {
    const given = { ...sources, own, ...(pay !== undefined && { begin }) };
    return await Promise.race([runToolInPieces(tool, job, given), late.promise]);
  } catch (error) {
    const isOfCall = error instanceof ApiError || error instanceof Repeated;
    throw isOfCall ? error : toolFailed(name, describeThrown(error));
  } finally {
    clearTimeout(timer);
  }
}

import { ConfigError } from "#config/read-settings.ts";

/**
 * Makes what a Worker answers with at its first request, once for an isolate: its settings do not change while it lives. Null
 * where that fails, most often because of the settings; the log says why, once too.
 */
export function openOnce<Env extends object, Opened>(
  open: (env: Env) => Opened,
): (env: Env) => Opened | null {
  let kept: { env: Env; opened: Opened | null } | undefined;
  return (env) => {
    if (kept?.env !== env) kept = { env, opened: tryToOpen(open, env) };
    return kept.opened;
  };
}

function tryToOpen<Env, Opened>(open: (env: Env) => Opened, env: Env): Opened | null {
  try {
    return open(env);
  } catch (error) {
    const told =
      error instanceof ConfigError
        ? { message: "The settings are not right", faults: error.message.split("\n") }
        : { message: "The service could not be opened", cause: String(error) };
    console.error(JSON.stringify(told));
    return null;
  }
}

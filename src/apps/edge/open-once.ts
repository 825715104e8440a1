import { ConfigError } from "#config/read-settings.ts";

/**
 * Creates a Worker's app at its first request, once per isolate, because settings do not change while it lives. Returns null
 * if that fails, usually because of invalid settings; the cause is logged once.
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
    const entry =
      error instanceof ConfigError
        ? { message: "Invalid settings", problems: error.message.split("\n") }
        : { message: "The service failed to start", cause: String(error) };
    console.error(JSON.stringify(entry));
    return null;
  }
}

/**
 * Runs before the first paint, as a classic script in the head of every React page: it sets the colour scheme and starts the
 * requests whose responses the page shows first, so that they do not wait until the code of the page has been loaded.
 */
import "./colour-scheme.ts";

/** The server lists the paths in the head of the page. `request.ts` takes each response once. */
const meta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="toolbooth-${name}"]`)?.content ?? "";
/** As long as `request.ts` waits for a response. After that a response would be out of date, too. */
const MAX_AGE_MS = 30_000;

const responses = new Map<string, Promise<Response>>();
for (const path of meta("data").split(" ").filter(Boolean)) {
  const response = fetch(meta("base") + path, {
    headers: { accept: "application/json" },
    credentials: "same-origin",
    cache: "no-store",
    signal: AbortSignal.timeout(MAX_AGE_MS),
  });
  // Whoever takes the response sees the error.
  response.catch(() => {});
  responses.set(path, response);
}
setTimeout(() => responses.clear(), MAX_AGE_MS);
Object.assign(globalThis, { toolboothResponses: responses });

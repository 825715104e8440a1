import { type BrowserServer, startBrowser } from "./chromium.ts";
import { type Postgres, startSharedPostgres } from "./postgres.ts";

/**
 * The servers that all test files of a run share. `test/run.ts` starts those that the chosen files reach, and passes their
 * addresses on as environment variables, which `postgres.ts` and `chromium.ts` read.
 */
export async function startServices(needs: {
  postgres: boolean;
  browser: boolean;
}): Promise<{ environment: Record<string, string>; close(): Promise<void> }> {
  const [postgres, browser] = await Promise.all([
    needs.postgres ? startSharedPostgres() : null,
    needs.browser ? startBrowser() : null,
  ] satisfies [Promise<Postgres> | null, Promise<BrowserServer> | null]);
  return {
    environment: {
      ...(postgres !== null && { TEST_SHARED_POSTGRES: String(postgres.port) }),
      ...(browser !== null && { TEST_SHARED_BROWSER: browser.address }),
    },
    async close() {
      await Promise.all([postgres?.dispose(), browser?.close()]);
    },
  };
}

import type { TestContext } from "node:test";
import { type Edge, startEdge } from "../../http/edge.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";

export type Restarts = Awaited<ReturnType<typeof openRestarts>>;

/** A Worker in workerd that is killed, and starts again on the same data. `texts`: its settings. */
export async function openRestarts(t: TestContext, code: string, texts: Record<string, string>) {
  const folder = temporaryFolder(t);
  // Tools that fail as they are told would fill the log.
  const beside = { d1Databases: { DB: "kept" }, handleStructuredLogs() {} };
  const start = () => startEdge(code, { folder, texts, beside });
  let edge: Edge = await start();
  t.after(() => edge.close());
  await applyMigrations(await edge.miniflare.getD1Database("DB"));
  return {
    folder,
    edge: () => edge,
    kill: () => process.kill(edge.pid, "SIGKILL"),
    async restart() {
      await edge.close();
      edge = await start();
    },
  };
}

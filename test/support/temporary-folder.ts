import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

/** A folder of this test's own, removed after it. */
export function temporaryFolder(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

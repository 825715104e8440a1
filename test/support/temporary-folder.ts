import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder of this test's own, removed after it. */
export function temporaryFolder(t: { after(close: () => unknown): unknown }): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

import { createHash } from "node:crypto";
import type { Migration } from "#stores/schema/migrations.ts";

/** Migrations of a release after this one, made up for tests; each works on every engine. */
export const COMPATIBLE: Migration = {
  name: "add-note",
  sql: "ALTER TABLE account ADD COLUMN note text",
  readableFrom: 1,
};
export const INCOMPATIBLE: Migration = {
  name: "rename-amount",
  sql: "ALTER TABLE credit_grant RENAME COLUMN amount TO credits",
  // Later than any version of this release.
  readableFrom: 9,
};

export const sha256Of = ({ sql }: Migration) => createHash("sha256").update(sql).digest("hex");

/** As the code of this release says that the data is newer, or was migrated by edited SQL. */
export const TOO_NEW =
  /The data has schema version \d, but .+ only up to \d\. Run the newer version/;
export const CHANGED = /Migration 1 \(initial\) is not the one that ran .+ checksums differ/;

import { d1Edge } from "./d1-edge.ts";
import { sqliteDashboard } from "./sqlite-dashboard.ts";
import { sqliteJobs } from "./sqlite-jobs.ts";

/**
 * The migrations of D1 in the order in which they run, each a file of its own for Wrangler. Released ones are never edited.
 *
 * D1's service cuts a file into statements by rules of its own, and has cut triggers of several lines in two: so a trigger
 * is one line here. Comments are left out, because words of SQL in them have confused it as well.
 */
export const D1_MIGRATIONS: readonly { name: string; sql: string }[] = [
  { name: "0001_initial", sql: plain(sqliteJobs + sqliteDashboard + d1Edge) },
];

function plain(sql: string): string {
  const bare = sql.replace(/^\s*--.*\n/gm, "");
  const triggers = bare.replace(/^CREATE TRIGGER [\s\S]*?^END;$/gm, (text) =>
    text.replace(/\s+/g, " "),
  );
  return `${triggers.replace(/\n{2,}/g, "\n").trim()}\n`;
}

import { d10001People } from "./d1-0001-people.ts";
import { d10002Letters } from "./d1-0002-letters.ts";
import { d10003Edge } from "./d1-0003-edge.ts";
import { d10004Sales } from "./d1-0004-sales.ts";

/**
 * The migrations of D1 in the order in which they run, each a file of its own for Wrangler. Never edited once released.
 *
 * D1's service cuts a file into statements by rules of its own, and has cut triggers of several lines in two: so a trigger
 * is one line here, and comments are left out, for they hold what looks like words of SQL.
 */
export const D1_MIGRATIONS: readonly { name: string; sql: string }[] = [
  { name: "0001_people", sql: plain(d10001People) },
  { name: "0002_letters", sql: plain(d10002Letters) },
  { name: "0003_edge", sql: plain(d10003Edge) },
  { name: "0004_sales", sql: plain(d10004Sales) },
];

function plain(sql: string): string {
  const bare = sql.replace(/^\s*--.*\n/gm, "");
  const triggers = bare.replace(/^CREATE TRIGGER [\s\S]*?^END;$/gm, (text) =>
    text.replace(/\s+/g, " "),
  );
  return `${triggers.replace(/\n{2,}/g, "\n").trim()}\n`;
}

/** The columns of better-auth that are flags. Those that are times end in At or Until. */
const FLAG = "\\b(emailVerified|twoFactorEnabled|verified|backedUp)";

/** In this order. The texts are migrations, so a rule must leave those as they are that have been released. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\) STRICT(?:, WITHOUT ROWID)?;/g, ");"],
  // PostgreSQL has checksums of its pages.
  [/,\n {2}checksum INTEGER(?=\n)/g, ""],
  [/\n {2}(?:use_)?checksum INTEGER,/g, ""],
  [
    /\bno INTEGER PRIMARY KEY(?: AUTOINCREMENT)?/g,
    "no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  ],
  [new RegExp(`${FLAG} INTEGER NOT NULL DEFAULT 0`, "g"), "$1 boolean NOT NULL DEFAULT false"],
  [new RegExp(`${FLAG} INTEGER`, "g"), "$1 boolean"],
  [new RegExp(`${FLAG} = 1`, "g"), "$1"],
  [new RegExp(`${FLAG} = 0`, "g"), "NOT $1"],
  [/\b([a-z]+[A-Za-z]*(?:At|Until)) TEXT/g, "$1 timestamptz"],
  [/\bINTEGER\b/g, "bigint"],
  // Ordered by its bytes, as in SQLite.
  [/\bTEXT\b/g, 'text COLLATE "C"'],
  // A comparison is a number only in SQLite.
  [/\((\w+) = \((\w+ = 0)\)\)/g, "(($1 = 1) = ($2))"],
  // Names in camel case would lose their capitals.
  [/\b[a-z]+(?:[A-Z]+[a-z]*)+\b/g, '"$&"'],
];

const TRIGGER = /CREATE TRIGGER (\w+) (AFTER [\w ]+)\s+(?:WHEN ([^;]+?)\s+)?BEGIN\n([\s\S]+?)END;/g;

/** A trigger of PostgreSQL calls a function. */
const callFunction = (_: string, name: string, when: string, condition: string, body: string) =>
  `CREATE FUNCTION on_${name}() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
${body}  RETURN NULL;
END $f$;
CREATE TRIGGER ${name} ${when} FOR EACH ROW ${condition ? `WHEN (${condition})` : ""} EXECUTE FUNCTION on_${name}();`;

/** Returns tables, indexes and triggers of SQLite as PostgreSQL has them, so that each is written once. */
export const inPostgres = (sqlite: string): string =>
  RULES.reduce((text, [found, put]) => text.replace(found, put), sqlite).replace(
    TRIGGER,
    callFunction,
  );

import { layOutJson } from "./json-layout.ts";

/**
 * The same call for three kinds of callers, each ready to be pasted: with the key itself where it is at hand, or taken
 * from the environment. The documentation and the pages show the same code.
 */
export type CallShown = { url: string; body: unknown; secret?: string | null };

export const KEY_VARIABLE = "TOOLBOOTH_KEY";

export function curlCode({ url, body, secret = null }: CallShown): string {
  const sent = body === undefined ? "-X POST" : `-d ${shellQuote(JSON.stringify(body))}`;
  return curlLines(url, [`-H ${curlKey(secret)}`, sent]);
}

export const curlLines = (url: string, options: string[]): string =>
  [`curl ${shellWord(url)}`, ...options.map((option) => `  ${option}`)].join(" \\\n");

/** The header with the key: in double quotes where the shell fills in the variable, else in single ones. */
export const curlKey = (secret: string | null = null): string =>
  secret === null
    ? `"Authorization: Bearer $${KEY_VARIABLE}"`
    : shellQuote(`Authorization: Bearer ${secret}`);

export function fetchCode({ url, body, secret = null }: CallShown): string {
  const type = body === undefined ? "" : '\n    "Content-Type": "application/json",';
  const key =
    secret === null
      ? `\`Bearer \${process.env.${KEY_VARIABLE}}\``
      : JSON.stringify(`Bearer ${secret}`);
  const sent = body === undefined ? "" : `\n  body: JSON.stringify(${layOutJson(body, "  ")}),`;
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: ${key},${type}
  },${sent}
});
const answer = await response.json();
if (!answer.ok) throw new Error(answer.detail);
console.log(answer);`;
}

export function pythonCode({ url, body, secret = null }: CallShown): string {
  const key =
    secret === null
      ? `"Bearer " + os.environ["${KEY_VARIABLE}"]`
      : JSON.stringify(`Bearer ${secret}`);
  const type = body === undefined ? "" : '\n        "Content-Type": "application/json",';
  const sent = body === undefined ? "" : `\n    data=json.dumps(${pythonLiteral(body)}).encode(),`;
  return `import json${secret === null ? ", os" : ""}, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="POST",
    headers={
        "Authorization": ${key},${type}
    },${sent}
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

/** A JSON value in Python's words. The texts of JSON are Python's too. */
function pythonLiteral(value: unknown): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`,
  );
  return `{${members.join(", ")}}`;
}

/** Everything between single quotes is taken as it is by a POSIX shell, but for the single quote itself. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Without quotes where none are needed. */
export const shellWord = (text: string): string =>
  /^[\w:/.-]+$/.test(text) ? text : shellQuote(text);

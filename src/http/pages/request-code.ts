import { layOutJson } from "./json-layout.ts";

/** The same call for three kinds of callers, each ready to be pasted. The key is taken from the environment. */
export type CallShown = { url: string; body: unknown };

const KEY_VARIABLE = "TOOLBOOTH_KEY";

export function curlCode({ url, body }: CallShown): string {
  const lines = [`curl ${shellWord(url)}`, `  -H "Authorization: Bearer $${KEY_VARIABLE}"`];
  if (body === undefined) lines.push("  -X POST");
  else lines.push(`  -d ${shellQuote(JSON.stringify(body))}`);
  return lines.join(" \\\n");
}

export function fetchCode({ url, body }: CallShown): string {
  const type = body === undefined ? "" : '\n    "Content-Type": "application/json",';
  const sent = body === undefined ? "" : `\n  body: JSON.stringify(${layOutJson(body, "  ")}),`;
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,${type}
  },${sent}
});
const answer = await response.json();
if (!answer.ok) throw new Error(answer.detail);
console.log(answer);`;
}

export function pythonCode({ url, body }: CallShown): string {
  const type = body === undefined ? "" : '\n        "Content-Type": "application/json",';
  const sent = body === undefined ? "" : `\n    data=json.dumps(${pythonLiteral(body)}).encode(),`;
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["${KEY_VARIABLE}"],${type}
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
const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const shellWord = (text: string) => (/^[\w:/.-]+$/.test(text) ? text : shellQuote(text));

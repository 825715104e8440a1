import type { Tool } from "#tools/define-tool.ts";
import { layOutJson } from "./json-layout.ts";

/**
 * The same call in several languages, ready to be pasted: with the key itself where it is at hand, or with the key from the
 * environment. The documentation and the dashboard show the same code.
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

/**
 * A call without JSON on one line: a file or a text in place of fields, and the bare result of this type in place of an object.
 * Double quotes are those of every shell.
 */
export function bareCurlCode(tool: Tool, publicUrl: string, type: string): string {
  const accept = `-H "Accept: ${type}"`;
  const [, extension] = /^image\/(\w+)/.exec(type) ?? [];
  const to = extension === undefined ? [] : [`-o ${tool.name}.${extension}`];
  const url = `${publicUrl}/api/v1/${tool.name}`;
  return ["curl", url, `-H ${curlKey()}`, accept, bareInput(tool), ...to].join(" ");
}

function bareInput({ rawBody, examples }: Tool): string {
  if (rawBody === undefined) return "-X POST";
  if (rawBody.octets) return "-F file=@photo.jpg";
  if (rawBody.types.includes("text/markdown")) {
    return '-H "Content-Type: text/markdown" --data-binary @README.md';
  }
  const request = examples[0]?.request as Record<string, unknown> | undefined;
  return `-F "${rawBody.field}=${request?.[rawBody.field] ?? "text"}"`;
}

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
const result = await response.json();
if (!result.ok) throw new Error(result.detail);
console.log(result);`;
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

export function goCode({ url, body, secret = null }: CallShown): string {
  const key =
    secret === null ? `"Bearer "+os.Getenv("${KEY_VARIABLE}")` : JSON.stringify(`Bearer ${secret}`);
  const sent = body === undefined ? "nil" : `strings.NewReader(${goString(JSON.stringify(body))})`;
  const type =
    body === undefined ? "" : '\n\trequest.Header.Set("Content-Type", "application/json")';
  const packages = ["fmt", "io", "log", "net/http"];
  if (secret === null) packages.push("os");
  if (body !== undefined) packages.push("strings");
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join("\n")}
)

func main() {
	request, err := http.NewRequest("POST", ${JSON.stringify(url)}, ${sent})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", ${key})${type}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	result, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result))
}`;
}

/** A raw string where it can hold the text, so that quotes need no escapes. JSON's escapes are Go's too. */
const goString = (text: string): string =>
  /[`\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``;

export function phpCode({ url, body, secret = null }: CallShown): string {
  const key =
    secret === null
      ? `"Authorization: Bearer " . getenv("${KEY_VARIABLE}")`
      : phpString(`Authorization: Bearer ${secret}`);
  const type = body === undefined ? "" : '\n        "Content-Type: application/json",';
  const sent = body === undefined ? "" : `\n    "content" => json_encode(${phpLiteral(body)}),`;
  return `<?php
$context = stream_context_create(["http" => [
    "method" => "POST",
    "header" => [
        ${key},${type}
    ],${sent}
    "ignore_errors" => true,
]]);
echo file_get_contents(${phpString(url)}, false, $context);`;
}

/** A JSON value in PHP's words. */
function phpLiteral(value: unknown): string {
  if (typeof value === "string") return phpString(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map(phpLiteral).join(", ")}]`;
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${phpString(name)} => ${phpLiteral(member)}`,
  );
  // An empty array of PHP is a list in JSON.
  return members.length === 0 ? "new stdClass()" : `[${members.join(", ")}]`;
}

/** In double quotes PHP reads most of JSON's escapes, and variables, which JSON does not have. */
const phpString = (text: string): string =>
  JSON.stringify(text).replace(/\\u([0-9a-f]{4})|\\b|\\.|\$/g, (found, code) => {
    if (code !== undefined) return `\\u{${code}}`;
    if (found === "\\b") return "\\x08";
    return found === "$" ? "\\$" : found;
  });

/** Everything between single quotes is taken as it is by a POSIX shell, but for the single quote itself. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Without quotes where none are needed. */
export const shellWord = (text: string): string =>
  /^[\w:/.-]+$/.test(text) ? text : shellQuote(text);

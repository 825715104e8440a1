import { keyVariableOf, TOOLBOOTH } from "#brand.ts";
import type { Tool } from "#tools/define-tool.ts";
import { layOutJson } from "./json-layout.ts";

/**
 * The same call in several languages, ready to be pasted: with the key itself where it is at hand, or with the key from the
 * environment. The documentation, the dashboard and the tools show the same code.
 */
export type CallShown = {
  url: string;
  secret?: string | null;
  /** A JSON value; undefined for a call without a body. */
  body?: unknown;
  /** A body of JSON exactly as it is written, in place of `body`. */
  json?: string;
  /** The environment variable with the key; left out: `KEY_VARIABLE`. */
  variable?: string;
} & CallTraits;

/** What the code of a call depends on besides its request. */
export type CallTraits = {
  /** A file that is sent in place of `body`, whose fields are then parameters of the query. */
  file?: FileShown;
  /** The call must have an idempotency key. */
  needsKey?: boolean;
  /** The response may be of any type, and its JSON has no `ok`. */
  isPassedOn?: boolean;
};

export const traitsOf = ({
  effect,
  passThrough,
  file,
}: Pick<Tool, "effect" | "passThrough" | "file">): CallTraits => ({
  ...(file?.types[0] !== undefined && { file: sampleFile(file.types[0]) }),
  ...(effect === "act" && { needsKey: true }),
  ...(passThrough === true && { isPassedOn: true }),
});

const sampleFile = (type: string): FileShown => {
  const [, subtype = ""] = type.split("/");
  const extension = EXTENSIONS[subtype] ?? (/^[a-z0-9]{2,4}$/.test(subtype) ? subtype : "bin");
  return { name: `file.${extension}`, type };
};

/** Where the subtype of a media type is not what names end in. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  ...{ jpeg: "jpg", "svg+xml": "svg", plain: "txt", markdown: "md", mpeg: "mp3" },
};

/** With the fields that the query has. */
export const urlOf = ({ url, file, body }: CallShown): string =>
  file === undefined || file.fields !== undefined ? url : withQuery(url, Object(body));

/** The URL with these fields in its query. */
export function withQuery(url: string, fields: Record<string, unknown>): string {
  const query = queryOf(fields);
  return query === "" ? url : `${url}?${query}`;
}

/** The fields as a query. A list is sent item by item. */
export function queryOf(fields: Record<string, unknown>): string {
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, text(each)]),
    ),
  ).toString();
}

/** An idempotency key as the documentation shows it. */
export const SAMPLE_KEY = "order-4711";
export const SAMPLE_KEY_HEADER = `Idempotency-Key: ${SAMPLE_KEY}`;

/** A file as the body; with `fields`, as `base64` in a body of JSON, for fields that must not be in a URL. */
export type FileShown = { name: string; type: string; fields?: Record<string, unknown> };

export const KEY_VARIABLE = keyVariableOf(TOOLBOOTH);

export function curlCode(call: CallShown): string {
  const { body, json, file, secret = null, variable, needsKey = false } = call;
  const url = urlOf(call);
  const own = needsKey ? [`-H "${SAMPLE_KEY_HEADER}"`] : [];
  const head = [`-H ${curlKey(secret, variable)}`, ...own];
  if (file?.fields !== undefined) {
    const parts = Object.entries(file.fields).map(
      // Not -F, which reads a file where the value begins with @ or <.
      ([name, value]) => `--form-string ${shellWord(`${name}=${value}`)}`,
    );
    return curlLines(url, [
      ...head,
      `-F ${shellWord(`file=@${curlFileName(file.name)}`)}`,
      ...parts,
    ]);
  }
  if (file !== undefined) {
    return curlLines(url, [
      ...head,
      `-H ${shellText(`Content-Type: ${file.type}`)}`,
      `--data-binary ${shellWord(`@${file.name}`)}`,
    ]);
  }
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
  if (text === undefined) return curlLines(url, [...head, "-X POST"]);
  // JSON never begins with @, which -d would read as the name of a file; text that is not JSON might, and -d drops its line ends.
  return json === undefined
    ? curlLines(url, [...head, `-d ${shellQuote(text)}`])
    : curlLines(url, [
        ...head,
        `-H "Content-Type: ${JSON_TYPE}"`,
        `--data-raw ${shellQuote(text)}`,
      ]);
}

const JSON_TYPE = "application/json";

/** In a form, curl ends a file name at a comma or semicolon that is not in quotes. */
const curlFileName = (name: string): string =>
  /[,;"\\]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name;

export const curlLines = (url: string, options: string[]): string =>
  [`curl ${shellWord(url)}`, ...options.map((option) => `  ${option}`)].join(" \\\n");

/** The header with the key: in double quotes where the shell fills in the variable, else in single ones. */
export const curlKey = (secret: string | null = null, variable = KEY_VARIABLE): string =>
  secret === null
    ? `"Authorization: Bearer $${variable}"`
    : shellQuote(`Authorization: Bearer ${secret}`);

/** The headers of a call besides that of its key to the API. */
function otherHeaders(call: CallShown): [name: string, value: string][] {
  const type = typeOf(call);
  return [
    ...(call.needsKey === true ? [["Idempotency-Key", SAMPLE_KEY] as [string, string]] : []),
    ...(type === null ? [] : [["Content-Type", type] as [string, string]]),
  ];
}

/** The type of the body; null where there is none. */
const typeOf = ({ body, json, file }: CallShown): string | null => {
  if (file !== undefined && file.fields === undefined) return file.type;
  return body === undefined && json === undefined && file === undefined ? null : JSON_TYPE;
};

/**
 * A call without JSON on one line: a file or a text in place of fields, and the bare result of this type in place of an object.
 */
export function bareCurlCode(tool: Tool, publicUrl: string, type: string): string {
  const accept = `-H ${shellText(`Accept: ${type}`)}`;
  const [, extension] = /^image\/(\w+)/.exec(type) ?? [];
  const to = extension === undefined ? [] : [`-o ${tool.name}.${extension}`];
  const url = `${publicUrl}/api/v1/${tool.name}`;
  const own = tool.effect === "act" ? [`-H "${SAMPLE_KEY_HEADER}"`] : [];
  return ["curl", shellWord(url), `-H ${curlKey()}`, ...own, accept, bareInput(tool), ...to].join(
    " ",
  );
}

function bareInput({ rawBody, examples, file }: Tool): string {
  if (file?.types[0] !== undefined) {
    const { name, type } = sampleFile(file.types[0]);
    return `-H ${shellText(`Content-Type: ${type}`)} --data-binary @${name}`;
  }
  if (rawBody === undefined) return "-X POST";
  if (rawBody.octets) return "-F file=@photo.jpg";
  if (rawBody.types.includes("text/markdown")) {
    return '-H "Content-Type: text/markdown" --data-binary @README.md';
  }
  const request = examples[0]?.request as Record<string, unknown> | undefined;
  // Not -F, which ends a value at a semicolon and reads a file where it begins with @ or <.
  return `--form-string ${shellText(`${rawBody.field}=${request?.[rawBody.field] ?? "text"}`)}`;
}

export function fetchCode(call: CallShown): string {
  const { file, secret = null, variable = KEY_VARIABLE } = call;
  const url = urlOf(call);
  const lines = otherHeaders(call).map(
    ([name, value]) => `\n    "${name}": ${JSON.stringify(value)},`,
  );
  const key =
    secret === null ? `\`Bearer \${process.env.${variable}}\`` : JSON.stringify(`Bearer ${secret}`);
  const sent = fetchBody(call);
  const head = file === undefined ? "" : 'import { readFile } from "node:fs/promises";\n\n';
  return `${head}const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: ${key},${lines.join("")}
  },${sent === null ? "" : `\n  body: ${sent},`}
});
${call.isPassedOn === true ? FETCHED_BYTES : FETCHED_JSON}`;
}

const FETCHED_JSON = `const result = await response.json();
if (!result.ok) throw new Error(result.detail);
console.log(result);`;

const FETCHED_BYTES = `if (!response.ok) throw new Error((await response.json()).detail);
process.stdout.write(new Uint8Array(await response.arrayBuffer()));`;

function fetchBody({ body, json, file }: CallShown): string | null {
  if (file !== undefined) {
    const read = `await readFile(${JSON.stringify(file.name)})`;
    if (file.fields === undefined) return read;
    const members = Object.entries(file.fields).map(
      ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
    );
    return `JSON.stringify({\n    base64: (${read}).toString("base64"),\n${members.join("")}  })`;
  }
  if (json !== undefined) return JSON.stringify(json);
  return body === undefined ? null : `JSON.stringify(${layOutJson(body, "  ")})`;
}

export function pythonCode(call: CallShown): string {
  const { file, secret = null, variable = KEY_VARIABLE } = call;
  const url = urlOf(call);
  const key =
    secret === null ? `"Bearer " + os.environ["${variable}"]` : JSON.stringify(`Bearer ${secret}`);
  const lines = otherHeaders(call).map(
    ([name, value]) => `\n        "${name}": ${JSON.stringify(value)},`,
  );
  const sent = pythonBody(call);
  const modules = [
    ...(file?.fields === undefined ? [] : ["base64"]),
    "json",
    ...(secret === null ? ["os"] : []),
    ...(call.isPassedOn === true ? ["sys"] : []),
    ...["urllib.error", "urllib.request"],
  ];
  return `import ${modules.join(", ")}

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="POST",
    headers={
        "Authorization": ${key},${lines.join("")}
    },${sent === null ? "" : `\n    data=${sent},`}
)
try:
    with urllib.request.urlopen(request) as response:
        ${call.isPassedOn === true ? "sys.stdout.buffer.write(response.read())" : "print(json.load(response))"}
except urllib.error.HTTPError as error:
    raise SystemExit(json.load(error)["detail"])`;
}

function pythonBody({ body, json, file }: CallShown): string | null {
  if (file !== undefined) {
    const read = `open(${JSON.stringify(file.name)}, "rb").read()`;
    if (file.fields === undefined) return read;
    const members = Object.entries(file.fields).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${pythonLiteral(value)},\n`,
    );
    return `json.dumps({\n        "base64": base64.b64encode(${read}).decode(),\n${members.join("")}    }).encode()`;
  }
  if (json !== undefined) return `${JSON.stringify(json)}.encode()`;
  return body === undefined ? null : `json.dumps(${pythonLiteral(body)}).encode()`;
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

export function goCode(call: CallShown): string {
  const { secret = null, file, variable = KEY_VARIABLE } = call;
  const url = urlOf(call);
  const key =
    secret === null ? `"Bearer "+os.Getenv("${variable}")` : JSON.stringify(`Bearer ${secret}`);
  const lines = otherHeaders(call).map(
    ([name, value]) => `\n\trequest.Header.Set("${name}", ${JSON.stringify(value)})`,
  );
  const { before, sent, packages } = goBody(call);
  const imports = new Set(["fmt", "io", "log", "net/http", ...packages]);
  if (secret === null || file !== undefined) imports.add("os");
  return `package main

import (
${[...imports]
  .sort()
  .map((name) => `\t"${name}"`)
  .join("\n")}
)

func main() {
${before}	request, err := http.NewRequest("POST", ${JSON.stringify(url)}, ${sent})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", ${key})${lines.join("")}
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

type GoBody = { before: string; sent: string; packages: string[] };

function goBody({ body, json, file }: CallShown): GoBody {
  if (file === undefined) {
    const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
    return text === undefined
      ? { before: "", sent: "nil", packages: [] }
      : { before: "", sent: `strings.NewReader(${goString(text)})`, packages: ["strings"] };
  }
  const read = (name: string, made: string) =>
    `\t${name}, err := ${made}\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n`;
  const opened = read("file", `os.ReadFile(${JSON.stringify(file.name)})`);
  if (file.fields === undefined) {
    return { before: opened, sent: "bytes.NewReader(file)", packages: ["bytes"] };
  }
  const members = Object.entries(file.fields).map(
    ([name, value]) => `\t\t${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  const made = `json.Marshal(map[string]any{\n\t\t"base64": file,\n${members.join("")}\t})`;
  return {
    // encoding/json writes a slice of bytes as base64.
    before: opened + read("body", made),
    sent: "bytes.NewReader(body)",
    packages: ["bytes", "encoding/json"],
  };
}

/** A raw string where it can hold the text, so that quotes need no escapes. JSON's escapes are Go's too. */
const goString = (text: string): string =>
  /[`\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``;

export function phpCode(call: CallShown): string {
  const { secret = null, variable = KEY_VARIABLE } = call;
  const url = urlOf(call);
  const key =
    secret === null
      ? `"Authorization: Bearer " . getenv("${variable}")`
      : phpString(`Authorization: Bearer ${secret}`);
  const lines = otherHeaders(call).map(
    ([name, value]) => `\n        ${phpString(`${name}: ${value}`)},`,
  );
  const sent = phpBody(call);
  return `<?php
$context = stream_context_create(["http" => [
    "method" => "POST",
    "header" => [
        ${key},${lines.join("")}
    ],${sent === null ? "" : `\n    "content" => ${sent},`}
    "ignore_errors" => true,
]]);
echo file_get_contents(${phpString(url)}, false, $context);`;
}

function phpBody({ body, json, file }: CallShown): string | null {
  if (file !== undefined) {
    const read = `file_get_contents(${phpString(file.name)})`;
    if (file.fields === undefined) return read;
    const members = Object.entries(file.fields).map(
      ([name, value]) => `        ${phpString(name)} => ${phpLiteral(value)},\n`,
    );
    return `json_encode([\n        "base64" => base64_encode(${read}),\n${members.join("")}    ])`;
  }
  if (json !== undefined) return phpString(json);
  return body === undefined ? null : `json_encode(${phpLiteral(body)})`;
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

/** The languages of samples, in the order of their tabs. `id`: as code blocks of the documentation name it. */
export const LANGUAGES = [
  { id: "sh", title: "curl", write: curlCode },
  { id: "js", title: "JavaScript", write: fetchCode },
  { id: "python", title: "Python", write: pythonCode },
  { id: "go", title: "Go", write: goCode },
  { id: "php", title: "PHP", write: phpCode },
] as const;

/** Everything between single quotes is taken as it is by a POSIX shell, but for the single quote itself. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** In double quotes, which every shell has, unless a shell would read something in them. */
const shellText = (text: string): string =>
  /["$`\\!%\r\n]/.test(text) ? shellQuote(text) : `"${text}"`;

/** Without quotes where none are needed. */
export const shellWord = (text: string): string =>
  /^[\w:/.@=-]+$/.test(text) ? text : shellQuote(text);

/** One call in three languages, each of which runs as pasted: with the key itself, or with $TOOLBOOTH_KEY. */
export type FirstCall = { apiUrl: string; secret: string | null };
export type Language = "curl" | "javascript" | "python";

export const KEY_VARIABLE = "TOOLBOOTH_KEY";
export const LANGUAGES: { id: Language; title: string }[] = [
  { id: "curl", title: "curl" },
  { id: "javascript", title: "JavaScript" },
  { id: "python", title: "Python" },
];

const BODY = { text: "Hello, world!" };

export function firstCallCode(language: Language, { apiUrl, secret }: FirstCall): string {
  const url = `${apiUrl}/api/v1/hash`;
  if (language === "curl") return curlCode(url, secret);
  return language === "javascript" ? fetchCode(url, secret) : pythonCode(url, secret);
}

/** How a shell is told the key, once, so that the code that reads $TOOLBOOTH_KEY runs. */
export const exportCode = (secret: string | null): string =>
  `export ${KEY_VARIABLE}=${secret === null ? "'paste-your-key-here'" : shellQuote(secret)}`;

/** Quoted twice over: double where the shell fills in the variable, single where it must change nothing. */
function curlCode(url: string, secret: string | null): string {
  const key =
    secret === null
      ? `"Authorization: Bearer $${KEY_VARIABLE}"`
      : shellQuote(`Authorization: Bearer ${secret}`);
  return [
    `curl ${shellQuote(url)}`,
    `  -H ${key}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${shellQuote(JSON.stringify(BODY))}`,
  ].join(" \\\n");
}

function fetchCode(url: string, secret: string | null): string {
  const key = secret === null ? `process.env.${KEY_VARIABLE}` : JSON.stringify(secret);
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: "Bearer " + ${key},
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${JSON.stringify(BODY)}),
});
console.log(await response.json());`;
}

function pythonCode(url: string, secret: string | null): string {
  const key = secret === null ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(secret);
  return `import json${secret === null ? ", os" : ""}, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(${JSON.stringify(BODY)}).encode(),
    headers={
        "Authorization": "Bearer " + ${key},
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

/** A POSIX shell takes everything between single quotes as it is, but for the single quote itself. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Parses forms like Stripe: `a[b][0][c]=d`. It is strict, because a lenient parser would hide mistakes of the client: lists are
 * numbered from 0 without a gap, no key appears twice, and no key is both a value and a group.
 */
export type FormValue = string | FormValue[] | { [key: string]: FormValue };
export type Form = { [key: string]: FormValue };

export class FormFault extends Error {}

const NAME = /^([A-Za-z0-9_-]+)((?:\[[A-Za-z0-9_-]+\])*)$/;

type Group = Map<string, string | Group>;

export function readForm(text: string): Form {
  const root: Group = new Map();
  for (const pair of text === "" ? [] : text.split("&")) {
    const [key = "", value, ...more] = pair.split("=");
    if (value === undefined || more.length > 0) throw new FormFault(`Not a pair: ${pair}`);
    put(root, decoded(key), decoded(value));
  }
  return Object.fromEntries([...root].map(([key, value]) => [key, closed(value)]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new FormFault(`Not percent-encoded UTF-8: ${text}`);
  }
}

function put(root: Group, key: string, value: string): void {
  const [, first, rest] = NAME.exec(key) ?? [];
  if (first === undefined) throw new FormFault(`Not a name: ${key}`);
  const path = [first, ...(rest ?? "").split(/[[\]]+/).filter((step) => step !== "")];
  const last = path.pop() as string;
  let group = root;
  for (const step of path) {
    const inner = group.get(step) ?? new Map();
    if (typeof inner === "string") throw new FormFault(`A value and a group: ${key}`);
    group.set(step, inner);
    group = inner;
  }
  if (group.has(last)) throw new FormFault(`Twice: ${key}`);
  group.set(last, value);
}

function closed(value: string | Group): FormValue {
  if (typeof value === "string") return value;
  const keys = [...value.keys()];
  if (!keys.every((key) => /^\d+$/.test(key))) {
    return Object.fromEntries([...value].map(([key, inner]) => [key, closed(inner)]));
  }
  keys.forEach((key, place) => {
    if (key !== String(place)) throw new FormFault(`A list with a gap at ${place}`);
  });
  return [...value.values()].map(closed);
}

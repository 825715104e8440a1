const ATTRIBUTE = /([^\s/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S*)))?/g;

/** The attributes of a tag: names in lower case, and values with their character references. */
export function* attributesOf(source: string): Generator<[name: string, value: string]> {
  for (const [, name = "", double, single, bare = ""] of source.matchAll(ATTRIBUTE)) {
    yield [name.toLowerCase(), double ?? single ?? bare];
  }
}

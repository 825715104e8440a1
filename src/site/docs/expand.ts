/** What the directives of a page may name. */
export type DocsFacts = {
  /** `<!-- if name -->`, `<!-- if not name -->` and, where it depends on an argument, `<!-- if name argument -->`. */
  conditions: Readonly<Record<string, boolean | ((argument: string) => boolean)>>;
  /** `<!-- value name -->`: a few words inside a sentence. */
  values: Readonly<Record<string, string>>;
  /** `<!-- generated name argument -->`: blocks of Markdown. */
  blocks: Readonly<Record<string, (argument: string) => string>>;
};

/** A comment on a line of its own takes the line end with it. */
const DIRECTIVE = /<!-- (if not|if|value|generated|end)(?: ([\w-]+))?(?: ([\w-]+))? -->(\n)?/g;

/**
 * Fills in what a page says of this service. The directives are HTML comments, which GitHub hides: there the text between
 * a directive and its `<!-- end -->` stays as it is written, so it holds the defaults or a sentence that stands alone.
 * Throws on a name that is not known and on a directive without its end.
 */
export function expandDirectives(source: string, facts: DocsFacts): string {
  /** The text that was written so far, for each directive that is open; null: what is inside is left out. */
  const stack: { text: string; isShown: boolean }[] = [{ text: "", isShown: true }];
  let end = 0;
  for (const match of source.matchAll(DIRECTIVE)) {
    const [all, kind, name = "", argument = "", newline = ""] = match;
    const top = stack.at(-1) as { text: string; isShown: boolean };
    top.text += source.slice(end, match.index);
    end = match.index + all.length;
    if (kind === "end") {
      if (stack.length === 1) throw new Error("A directive ends that was not opened");
      const { text, isShown } = stack.pop() as { text: string; isShown: boolean };
      const outer = stack.at(-1) as { text: string };
      if (isShown) outer.text += text;
    } else if (kind === "if" || kind === "if not") {
      const found = find(facts.conditions, name);
      const holds = typeof found === "function" ? found(argument) : found;
      stack.push({ text: "", isShown: kind === "if" ? holds : !holds });
    } else {
      top.text += kind === "value" ? find(facts.values, name) : find(facts.blocks, name)(argument);
      stack.push({ text: "", isShown: false });
    }
    const isOwnLine = match.index === 0 || source[match.index - 1] === "\n";
    if (!isOwnLine) (stack.at(-1) as { text: string }).text += newline;
  }
  if (stack.length > 1) throw new Error("A directive has no <!-- end -->");
  return (stack[0] as { text: string }).text + source.slice(end);
}

function find<T>(named: Readonly<Record<string, T>>, name: string): T {
  const value = Object.hasOwn(named, name) ? named[name] : undefined;
  if (value === undefined) throw new Error(`The docs know no "${name}"`);
  return value;
}

import { inlineLine } from "./generate-inlines.ts";
import type { Random } from "./random.ts";

const HTML_STARTS =
  "<div> <p> </div> <pre> <style> <!-- <!--a--> <?a <!A <![CDATA[ <b> <i/> <h1> <hr/> <table> </b> <b><i> <pre>a</pre> <textarea>".split(
    " ",
  );

export function htmlBlock(random: Random): string[] {
  const rest = () =>
    random.pick(["a", "*a*", "", "</div>", "</pre>", "-->", "?>", ">", "]]>", "b", "</style>"]);
  return [`${random.pick(HTML_STARTS)}${rest()}`, ...random.several(0, 2, rest)];
}

/** A table, or something that is nearly one. */
export function table(random: Random): string[] {
  const columns = random.between(1, 3);
  const delimiter = () =>
    random.pick(
      random.chance(0.95) ? ["---", ":-", "-:", ":-:", "-"] : [" :--: ", "- -", ":", "", "=", "a"],
    );
  const paragraph = random.chance(0.2) ? [inlineLine(random, true)] : [];
  return [
    ...paragraph,
    row(random, columns, () => cell(random)),
    row(random, random.chance(0.9) ? columns : columns + 1, delimiter),
    ...random.several(0, 2, () => row(random, random.between(1, columns + 1), () => cell(random))),
  ];
}

function cell(random: Random): string {
  const line = inlineLine(random, true).replaceAll("\n", " ");
  return random.pick([line, line, "a", "", "`\\|`", "b\\|c", "`d`", "*e*", "\\\\"]);
}

function row(random: Random, columns: number, makeCell: () => string): string {
  const text = random.several(columns, columns, makeCell).join(random.pick(["|", " | "]));
  return random.pick([`|${text}|`, `| ${text} |`, text, `|${text}`, `${text} |`]);
}

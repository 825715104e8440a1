/**
 * The examples from which our output differs, each with the reason and the expected output. An exception without
 * expected output could hide a fault.
 */
export type Expectation = { readonly reason: string; readonly html: string };

const AUTOLINK =
  "CommonMark shows that this is no autolink; GFM, section 6.9, makes a link of the bare address.";
const COMMENT = "GFM 0.29 has the older rule for comments; ours is that of CommonMark 0.31.2, 6.6.";
const STRIPPED =
  "GFM's own construct beside raw HTML: commonmark.js, the judge of stripping, does not know it.";

const linked = (url: string, text = url) => `<a href="${url}">${text}</a>`;

export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  "CommonMark 602": {
    reason: AUTOLINK,
    html: `<p>&lt;${linked("https://foo.bar/baz")} bim&gt;</p>\n`,
  },
  "CommonMark 608": {
    reason: AUTOLINK,
    html: `<p>&lt; ${linked("https://foo.bar")} &gt;</p>\n`,
  },
  "CommonMark 611": { reason: AUTOLINK, html: `<p>${linked("https://example.com")}</p>\n` },
  "CommonMark 612": {
    reason: AUTOLINK,
    html: `<p>${linked("mailto:foo@bar.example.com", "foo@bar.example.com")}</p>\n`,
  },
  "GFM 610": {
    reason: AUTOLINK,
    html: `<p>&lt;${linked("http://foo.bar/baz")} bim&gt;</p>\n`,
  },
  "GFM 616": { reason: AUTOLINK, html: `<p>&lt; ${linked("http://foo.bar")} &gt;</p>\n` },
  "GFM 619": { reason: AUTOLINK, html: `<p>${linked("http://example.com")}</p>\n` },
  "GFM 620": {
    reason: AUTOLINK,
    html: `<p>${linked("mailto:foo@bar.example.com", "foo@bar.example.com")}</p>\n`,
  },
  "GFM 645": { reason: COMMENT, html: "<p>foo </p>\n" },
  "GFM 646": { reason: COMMENT, html: "<p>foo  foo --&gt;</p>\n<p>foo </p>\n" },
  "GFM 653": {
    reason: "Tags that GFM, section 6.11, would escape are raw HTML, which we strip.",
    html: "",
  },
  "GFM extensions 12": {
    reason: STRIPPED,
    html: "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>hello</td>\n</tr>\n<tr>\n<td>ok  sure</td>\n</tr>\n</tbody>\n</table>\n",
  },
  "GFM extensions 20": {
    reason: "The test asks only that nothing breaks. The address has nothing before its @.",
    html: "<p>This shouldn't crash everything: (<em>A</em>@_.A</p>\n",
  },
  "GFM extensions 22": {
    reason: "Tags that GFM, section 6.11, would escape are raw HTML, which we strip.",
    html: [
      "<p>This is  not okay, but <strong>this</strong> is.</p>",
      "<p>This is</p>",
      "<p>Nope, I won't have .</p>",
      "<p>No</p>",
      "<p>This is okay though.</p>",
      "<p>Yep, okay.</p>",
      "<p>&lt;!- But we're strict. -&gt;\n&lt;! No nonsense. &gt;</p>\n",
    ].join("\n"),
  },
};

/** Autolinks with a scheme that we do not allow become their text. */
export const REFUSED: Readonly<Record<string, string>> = {
  "CommonMark 598": "a+b+c: is not on the list of schemes.",
  "CommonMark 599": "made-up-scheme: is not on the list of schemes.",
  "CommonMark 601": "localhost: reads as a scheme, and is not on the list.",
  "GFM 606": "a+b+c: is not on the list of schemes.",
  "GFM 607": "made-up-scheme: is not on the list of schemes.",
  "GFM 609": "localhost: reads as a scheme, and is not on the list.",
};

import { asText, check, inParagraph } from "./cases.ts";

/** Written as it is. */
const kept = (source: string, rows: readonly string[]) =>
  inParagraph(
    source,
    rows.map((row) => [row, row]),
  );

check("superscripts and subscripts stay in the HTML", [
  ...kept("GitHub's list of elements has sup and sub", [
    "2<sup>64</sup>",
    "H<sub>2</sub>O",
    "x<sup>a b</sup>",
    "x<sup>2<sub>i</sub></sup>",
    "x<sub>i</sub><sup>2</sup>",
  ]),
  ...inParagraph("the tag is written anew, without its attributes", [
    ["2<SUP id=x onclick='y'>64</SUP >", "2<sup>64</sup>"],
    ["2<sup\nclass=x>64</sup\t>", "2<sup>64</sup>"],
    ["a<support>b</support><subx>c</subx><sup-x>d</sup-x>", "abcd"],
    ["a<sup/>b<sub />c", "abc"],
    ["`2<sup>64</sup>` \\<sup>", "<code>2&lt;sup&gt;64&lt;/sup&gt;</code> &lt;sup&gt;"],
  ]),
  ...inParagraph("every element closes within its block, and in order", [
    ["2<sup>64", "2<sup>64</sup>"],
    ["a</sup>b</sub>", "ab"],
    ["a<sup>b<sub>c</sup>d", "a<sup>b<sub>c</sub></sup>d"],
    ["a<sup>b</sub>c</sup>", "a<sup>bc</sup>"],
    ["a<sup></sup>b <sup> </sup>c", "ab  c"],
    ["**2<sup>64**5</sup>", "<strong>2<sup>64</sup></strong>5"],
    ["a<sup>*b</sup> c* d", "a<sup><em>b c</em></sup> d"],
    ["***2<sup>64*** b", "<em><strong>2<sup>64</sup></strong></em> b"],
    ["[a<sup>b](c)d</sup>", '<a href="c">a<sup>b</sup></a>d'],
    ["a<sup>[b</sup>c](d)e", 'a<sup><a href="d">bc</a></sup>e'],
    ["![2<sup>64</sup>](a)", '<img src="a" alt="2^64" />'],
    ["~~2<sup>64</sup>~~", "<del>2<sup>64</sup></del>"],
    ["2<sup>**64**</sup>", "2<sup><strong>64</strong></sup>"],
  ]),
  { markdown: "a<sup>b\n\nc</sup>", html: "<p>a<sup>b</sup></p>\n<p>c</p>\n", source: "by block" },
  { markdown: "<sup></sup>", html: "", source: "a paragraph of nothing but raw HTML is removed" },
  {
    markdown: "# H<sub>2</sub>O\n\n- 2<sup>64</sup>\n\n|10<sup>6</sup>|\n|-|",
    html: "<h1>H<sub>2</sub>O</h1>\n<ul>\n<li>2<sup>64</sup></li>\n</ul>\n<table>\n<thead>\n<tr>\n<th>10<sup>6</sup></th>\n</tr>\n</thead>\n</table>\n",
    text: "H_2O\n\n- 2^64\n\n10^6",
    source: "in every block",
  },
  {
    markdown: `${"<sup>".repeat(12)}a${"</sup>".repeat(12)}b`,
    html: `<p>${"<sup>".repeat(10)}a${"</sup>".repeat(10)}b</p>\n`,
    source: "the bound of nesting",
  },
]);

check("superscripts and subscripts stay in HTML blocks", [
  {
    markdown: "<p align=center>2<sup>64</sup> and H<sub>2</sub>O<br>x</p>",
    html: "<p>2<sup>64</sup> and H<sub>2</sub>O<br />\nx</p>\n",
    text: "2^64 and H_2O\nx",
    source: "as in a paragraph",
  },
  {
    markdown:
      "<div> <sup> a</sup><sup>b<p>c</sup>d <sup id='>'>\n e </sup>f<br> <sub> g</sub></div>",
    html: "<p><sup>a</sup><sup>b</sup></p>\n<p>cd <sup>e</sup> f<br />\n<sub>g</sub></p>\n",
    source: "by paragraph",
  },
  {
    markdown: "<table><tr><td>10<sup>6</sup></td><td>10<sup>9</sup></td></tr></table>",
    html: "<p>10<sup>6</sup> 10<sup>9</sup></p>\n",
    text: "10^6 10^9",
    source: "as in a paragraph",
  },
  {
    markdown: "<pre>2<sup>64</sup>\n  H<sub>2</sub>O</pre>",
    html: "<pre><code>2^64\n  H_2O\n</code></pre>\n",
    text: "2^64\n  H_2O",
    source: "code is text alone",
  },
  { markdown: "<div><sup></sup></div>", html: "", source: "nothing is shown" },
  {
    markdown: "<div>a<script>b<sup>c</script>d&#0;^</div>",
    html: "<p>ad\ufffd^</p>\n",
    source: "U+0000 is U+FFFD (CommonMark 2.3), and hidden contents go",
  },
]);

check("superscripts and subscripts in plain text", [
  ...asText("the usual notation", [
    ["2<sup>64</sup>", "2^64"],
    ["H<sub>2</sub>O", "H_2O"],
    ["10<sup>-3</sup> m<sup>2</sup>.", "10^-3 m^2."],
    ["CO<sub>2</sub>, SO<sub>4</sub><sup>2−</sup>", "CO_2, SO_4^(2−)"],
    ["x<sub>i</sub><sup>2</sup>", "x_i^2"],
    ["e<sup>x</sup>+1", "e^x+1"],
    ["<sup>14</sup>C", "^14C"],
    ["a<sup>[1]</sup> b<sup>*</sup>", "a^[1] b^*"],
    ["x<sup>**2**</sup> x<sup>&#50;</sup> x<sup>`n`</sup>", "x^2 x^2 x^n"],
  ]),
  ...asText("parentheses where the end would not be clear", [
    ["x<sup>a b</sup>", "x^(a b)"],
    ["x<sup>2</sup>3", "x^(2)3"],
    ["x<sup>2</sup>.5 x<sup>2</sup>. 5", "x^(2).5 x^2. 5"],
    ["x<sup>n</sup>y x<sup>n</sup>2", "x^(n)y x^(n)2"],
    ["x<sup>n+1</sup>", "x^(n+1)"],
    ["x<sup>2<sup>3</sup></sup> x<sup>2</sup><sup>3</sup>", "x^(2^3) x^(2)^3"],
    ["[2<sup>64</sup>](#a)5", "2^(64)5"],
    ["*x<sup>2</sup>*, *2<sup>64*5", "x^2, 2^(64)5"],
    ["x<sup>a\nb</sup>", "x^(a\nb)"],
  ]),
  ...asText("no mark for small print, which is attached to nothing", [
    ["<sub>Made by me</sub>", "Made by me"],
    ["Title <sup><sub>beta</sub></sup>", "Title beta"],
    ["2 <sup>64</sup>", "2 ^64"],
    ["<p><sub>a b</sub><br>c</p>", "a b\nc"],
  ]),
]);

check(
  "the text of a heading's id has no marks",
  [
    {
      markdown: "# H<sub>2</sub>O",
      html: '<h1 id="user-content-h2o">H<sub>2</sub>O</h1>\n',
      source: "github-slugger 2.0.0, on the text of the heading",
    },
  ],
  { headingIds: true },
);

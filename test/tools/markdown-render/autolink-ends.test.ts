import { check, inParagraph } from "./cases.ts";

const EXAMPLE = '<a href="https://example.com">https://example.com</a>';
const WWW = '<a href="http://www.example.com">www.example.com</a>';
const MAIL = '<a href="mailto:me@example.com">me@example.com</a>';

check("underscores that close emphasis are not part of an address", [
  ...inParagraph("cmark-gfm 0.29.0.gfm.6 and micromark-extension-gfm-autolink-literal 2.1.0", [
    ["_Visit https://example.com._", `<em>Visit ${EXAMPLE}.</em>`],
    ["_see https://example.com_", `<em>see ${EXAMPLE}</em>`],
    ["__see https://example.com__", `<strong>see ${EXAMPLE}</strong>`],
    ["___https://example.com___", `<em><strong>${EXAMPLE}</strong></em>`],
    ["_www.example.com_", `<em>${WWW}</em>`],
    ["*see https://example.com*", `<em>see ${EXAMPLE}</em>`],
    ["**https://example.com.**", `<strong>${EXAMPLE}.</strong>`],
    ["~~https://example.com~~", `<del>${EXAMPLE}</del>`],
    ["~https://example.com.~", `<del>${EXAMPLE}.</del>`],
    [
      "_https://example.com/a_b_",
      '<em><a href="https://example.com/a_b">https://example.com/a_b</a></em>',
    ],
    [
      "_https://a_b.example.com/c_",
      '<em><a href="https://a_b.example.com/c">https://a_b.example.com/c</a></em>',
    ],
    ["_mail *now* me@example.com_", `<em>mail <em>now</em> ${MAIL}</em>`],
    ["__me@example.com__", `<strong>${MAIL}</strong>`],
    [
      "_a b@example.com c_d@example.com_",
      `<em>a <a href="mailto:b@example.com">b@example.com</a> <a href="mailto:c_d@example.com">c_d@example.com</a></em>`,
    ],
  ]),
  ...inParagraph("micromark-extension-gfm-autolink-literal 2.1.0 and marked 18.2.1", [
    ["_see https://example.com_, and", `<em>see ${EXAMPLE}</em>, and`],
    ["_see https://example.com._ More", `<em>see ${EXAMPLE}.</em> More`],
    ["(_see https://example.com_)", `(<em>see ${EXAMPLE}</em>)`],
    ["_https://example.com_&amp;", `<em>${EXAMPLE}</em>&amp;`],
    ["_https://example.com_!?'\"", `<em>${EXAMPLE}</em>!?'&quot;`],
    ["**_https://example.com_** a", `<strong><em>${EXAMPLE}</em></strong> a`],
    ["_https://example.com_**", `<em>${EXAMPLE}</em>**`],
    ["_https://example.com_\na", `<em>${EXAMPLE}</em>\na`],
    ["__www.example.com__ a", `<strong>${WWW}</strong> a`],
    ["https://example.com_ a", `${EXAMPLE}_ a`],
    ["[a _https://example.com_ b", `[a <em>${EXAMPLE}</em> b`],
  ]),
  ...inParagraph("GFM 6.9: no underscore in the last two parts of a domain", [
    ["_https://example.com_/a", "<em>https://example.com</em>/a"],
    ["_https://exa_mple.com_", "<em>https://exa_mple.com</em>"],
    ["https://example.com_a b", "https://example.com_a b"],
    ["_https://example.com_&amp;a", "<em>https://example.com</em>&amp;a"],
    ["www._ a", "www._ a"],
    ["http://exa_mple.com.", "http://exa_mple.com."],
    ["http://exa_mple.com.! a", "http://exa_mple.com.! a"],
    ["www.exa_mple.com... a", "www.exa_mple.com... a"],
  ]),
  ...inParagraph("GFM 6.9: an underscore at the end of an email address", [
    ["a.b-c_d@a.b_ e", "a.b-c_d@a.b_ e"],
    ["*a.b-c_d@a.b_*", "<em>a.b-c_d@a.b_</em>"],
  ]),
]);

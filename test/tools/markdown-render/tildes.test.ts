import { asText, check, inParagraph } from "./cases.ts";

check("tildes do not count where * and _ are judged", [
  ...inParagraph("cmark-gfm 0.29.0.gfm.6, which has them among its skipped characters", [
    ["**~~$10~~**now", "<strong><del>$10</del></strong>now"],
    ["***~~a~~***b", "<em><strong><del>a</del></strong></em>b"],
    ["*~~a~~*b", "<em><del>a</del></em>b"],
    ["a**~~$10~~**", "a**<del>$10</del>**"],
    ["a**~~10~~**b", "a<strong><del>10</del></strong>b"],
    ["~~**$10**~~now", "~~<strong>$10</strong>~~now"],
    ["~~*a*~~b", "~~<em>a</em>~~b"],
    ["__~~a~~__b", "__<del>a</del>__b"],
    ["__~~a~~__ b", "<strong><del>a</del></strong> b"],
    ["_~~.a~~_.", "<em><del>.a</del></em>."],
    ["a~_b_~c", "a~_b_~c"],
    ["**~~~a~~~**b", "<strong>~~~a~~~</strong>b"],
    ["*~ a~*", "*~ a~*"],
    ["a*\\~b*", "a*~b*"],
    ["**~**", "<strong>~</strong>"],
    ["~~*~~a~~*~~", "<del><em><del>a</del></em></del>"],
  ]),
]);

check("a deletion keeps its tildes in plain text", [
  ...asText("what was deleted must not read as if it were not", [
    ["~~do not~~ press", "~~do not~~ press"],
    ["20~25 and 30~35", "20~25 and 30~35"],
    ["~a~ ~~b~~ ~~~c~~~", "~a~ ~~b~~ ~~~c~~~"],
    ["**~~a~~** *~b~*", "~~a~~ ~b~"],
    ["~~a *b* `c` [d](e)~~", "~~a b c d (e)~~"],
    ["[~~a~~](b) ![~~c~~](d)", "~~a~~ (b) ~~c~~"],
    ["# ~~a~~\n\n- ~~b~~\n\n|~~c~~|\n|-|", "~~a~~\n\n- ~~b~~\n\n~~c~~"],
    ["~~a\nb~~", "~~a\nb~~"],
    ["\\~\\~a\\~\\~", "~~a~~"],
  ]),
]);

check(
  "a deletion changes no id of a heading",
  [
    {
      markdown: "# ~~a~~ b",
      html: '<h1 id="user-content-a-b"><del>a</del> b</h1>\n',
      source: "github-slugger 2.0.0, on the text of the heading",
    },
  ],
  { headingIds: true },
);

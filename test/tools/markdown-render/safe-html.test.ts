import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";

const html = (markdown: string) => renderMarkdown(markdown, false).html;

/** A tag as the renderer writes it, with the attributes that each element may have. */
const TAG = new RegExp(
  `^(?:<h[1-6] id="user-content-[^"<>]*">|</?(?:p|h[1-6]|em|strong|del|sup|sub|code|pre|blockquote|ul|li|table|thead|tbody|tr)>|</(?:a|ol|th|td|div|section)>|<[bh]r />|${[
    '<a href="URL"(?: title="[^"<>]*")?>',
    '<img src="URL" alt="[^"<>]*"(?: title="[^"<>]*")? />',
    '<code class="language-[^"<>]*">',
    '<ol(?: start="\\d+")?(?: class="contains-task-list")?>|<ul class="contains-task-list">',
    '<li class="task-list-item">',
    '<t[hd](?: align="(?:left|center|right)")?>',
    '<input class="task-list-item-checkbox"(?: checked="")? disabled="" type="checkbox" aria-label="(?:Completed|Incomplete) task">',
    '<sup class="footnote-ref">|<section class="footnotes" data-footnotes="" aria-label="Footnotes">',
    '<li id="user-content-fn\\d+">',
    '<a href="#user-content-fn\\d+"(?: id="user-content-fnref[\\d-]+")? data-footnote-ref="" aria-label="Footnote \\d+">',
    '<a href="#user-content-fnref[\\d-]+" class="footnote-backref data-footnote-backref" data-footnote-backref="" aria-label="Back to reference [\\d-]+">',
    '<div class="markdown-alert markdown-alert-(?:note|tip|important|warning|caution)">',
    '<p class="markdown-alert-title">',
  ].join("|")})`.replaceAll(
    "URL",
    '(?:(?:https?|mailto|tel|xmpp|ftp|ircs?):[^"<>\\s]*|(?![a-z][a-z0-9+.-]*:)[^"<>\\s]*)',
  ),
  "i",
);

test("for any source, the output consists of known tags with known attributes", () => {
  const pieces = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom(
      ..."<script>|</script>|<img src=x onerror=alert(1)>|<svg/onload=a>|<a href='|'>|<!--|-->|<b|<style>|<![CDATA[|]]>|<?|?>".split(
        "|",
      ),
      ...'[a](javascript:b)|![a](data:b)|](|[|]|![|(|)|<javascript:a>|java&Tab;script:|&#x6a;|&colon;|&lt;script&gt;|"'.split(
        "|",
      ),
      ...'*|**|_|~~|`|```|\n|\n\n|\n> |\n- |\n1. |\n# |    |\\| |http://a.bc/"onclick=x|www.a.bc|a@b.cd|- [x] '.split(
        "|",
      ),
      "\n|a|b|\n|-|:-:|\n",
      "|",
      "\n[a]: ",
      ' "t" onclick=x',
      ...'[http://a.b/|[a@b.c|&<|><|"<|<img/src=x onerror=y|[^a]|\n[^a]: |[!NOTE]|<br>|<sup>|</sup>|<sub class=x>|</sub>|<SUP/>|[^1]|\n[^1]: [^a]'.split(
        "|",
      ),
      ...`<div>|<p onclick=x>|\n\n<pre>|</pre>|<h1 id="|<img alt="<script>">|<td title='">'|&lt;b&gt;`.split(
        "|",
      ),
      ...`<textarea>|</textarea>|<xmp>|&quot;|&#60;|<svg>|\n# |](#|](//|](../"|](\\\\|](?<|<title>`.split(
        "|",
      ),
    ),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 25 }), fc.boolean(), (parts, hasOptions) => {
      const options = { headingIds: true, baseUrl: "https://a.bc/d/?'\"<>" };
      const { html: output } = renderMarkdown(parts.join(""), false, hasOptions ? options : {});
      for (let at = output.indexOf("<"); at >= 0; at = output.indexOf("<", at + 1)) {
        assert.match(output.slice(at), TAG);
      }
      const rest = output.replaceAll(new RegExp(TAG.source.slice(1), "gi"), "");
      assert.doesNotMatch(rest, /[<>"]|&(?!(?:amp|lt|gt|quot);)/);
    }),
    { numRuns: 5000 },
  );
});

test("tags are closed in the order in which they were opened", () => {
  const pieces = fc.constantFrom(
    ..."a|*|**|~~|[|](b)|](javascript:c)|![|<script>|</script>|<title>|</title>|`|\n\n|- |> ".split(
      "|",
    ),
    ..."<sup>|</sup>|<sub>|</sub>|[^1]|\n\n[^1]: a|<div>|<p>".split("|"),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const open: string[] = [];
      for (const [, slash, name] of html(parts.join("")).matchAll(/<(\/?)([a-z0-9]+)/g)) {
        if (["img", "br", "hr", "input"].includes(name as string)) continue;
        if (slash === "") open.push(name as string);
        else assert.equal(open.pop(), name);
      }
      assert.deepEqual(open, []);
    }),
    { numRuns: 1000 },
  );
});

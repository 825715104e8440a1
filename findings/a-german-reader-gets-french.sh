#!/usr/bin/env bash
# A site has texts in en, de, fr, pt-BR, zh-Hans and zh-Hant. Which does it show for `de-CH, fr;q=0.5`, for `de-AT`, for zh-TW, for `pt-PT` and for the example of MDN, `fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5`? Five libraries.
# Expected: de, de, zh-Hant, pt-BR and fr: browsers send the region, and German is German; RFC 4647 (3.4) has lookup for it, which shortens the range.
# Seen on 2026-11-29: accept-language-parser 1.5.0 and @hapi/accept 6.0.3 show French to the Swiss who prefers German, and nothing to the Austrian, since the range of a header matches longer tags only. accept-language 3.0.20 knows
# no pt-BR for pt-PT. @formatjs/intl-localematcher 0.10.1, fed by negotiator 1.1.0 as frameworks do it, throws a RangeError for `*`. For zh-TW it alone finds zh-Hant; accept-language-parser with `loose` shows zh-Hans.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts negotiator@1.1.0 accept-language-parser@1.5.0 @hapi/accept@6.0.3 accept-language@3.0.20 \
  @formatjs/intl-localematcher@0.10.1
cat > seen.mjs <<'JS'
import { match } from "@formatjs/intl-localematcher";
import hapiAccept from "@hapi/accept";
import acceptLanguage from "accept-language";
import parser from "accept-language-parser";
import Negotiator from "negotiator";
const available = ["en", "de", "fr", "pt-BR", "zh-Hans", "zh-Hant"];
acceptLanguage.languages(available);
const negotiator = (header) => new Negotiator({ headers: { "accept-language": header } });
const libraries = {
  negotiator: (header) => negotiator(header).language(available),
  "accept-language-parser": (header) => parser.pick(available, header),
  "accept-language-parser, loose": (header) => parser.pick(available, header, { loose: true }),
  "@hapi/accept": (header) => hapiAccept.language(header, available),
  "accept-language": (header) => acceptLanguage.get(header),
  "@formatjs/intl-localematcher": (header) => match(negotiator(header).languages(), available, "en"),
};
const headers = ["de-CH, fr;q=0.5", "de-AT", "zh-TW", "pt-PT", "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5"];
for (const [name, choose] of Object.entries(libraries)) {
  const seen = headers.map((header) => {
    try {
      return choose(header) || "none";
    } catch (error) {
      return error.name;
    }
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'negotiator: de, de, none, none, fr
accept-language-parser: fr, none, none, none, fr
accept-language-parser, loose: de, de, zh-Hans, pt-BR, fr
@hapi/accept: fr, none, none, none, fr
accept-language: de, de, en, en, fr
@formatjs/intl-localematcher: de, de, zh-Hant, pt-BR, RangeError' ]

#!/usr/bin/env bash
# A service charges by tokens. What do four tokenizers (o200k_base) count for a user's text that mentions `<|endoftext|>`, `<|fim_prefix|>` or `<|im_start|>`?
# Expected: the same count, of the characters as text, since in a text of a user they are no special tokens; or the same error from all four.
# Seen on 2026-11-29: for `<|endoftext|>` gpt-tokenizer 4.0.0, js-tiktoken 1.0.21, tiktoken 1.0.22 and ai-tokenizer 1.0.6 all throw with their defaults. For the two others gpt-tokenizer
# throws, and the rest count text. So a page about models fails in the step that computes its price. `encode_ordinary` of tiktoken, and an empty list of
# disallowed tokens in gpt-tokenizer and js-tiktoken, count text.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts gpt-tokenizer@4.0.0 js-tiktoken@1.0.21 tiktoken@1.0.22 ai-tokenizer@1.0.6
cat > seen.mjs <<'JS'
import Tokenizer from "ai-tokenizer";
import * as encodings from "ai-tokenizer/encoding";
import { countTokens } from "gpt-tokenizer";
import { getEncoding } from "js-tiktoken";
import { get_encoding } from "tiktoken";
const js = getEncoding("o200k_base");
const wasm = get_encoding("o200k_base");
const ai = new Tokenizer(encodings.o200k_base);
const none = new Set();
const counts = {
  "gpt-tokenizer": (text) => countTokens(text),
  "js-tiktoken": (text) => js.encode(text).length,
  tiktoken: (text) => wasm.encode(text).length,
  "ai-tokenizer": (text) => ai.count(text),
  "tiktoken encode_ordinary": (text) => wasm.encode_ordinary(text).length,
  "gpt-tokenizer, none disallowed": (text) => countTokens(text, { disallowedSpecial: none }),
  "js-tiktoken, none disallowed": (text) => js.encode(text, [], []).length,
};
for (const [name, count] of Object.entries(counts)) {
  const seen = ["the end", "the <|endoftext|>", "the <|fim_prefix|>", "the <|im_start|>"].map((text) => {
    try {
      return `${text} ${count(text)}`;
    } catch {
      return `${text} error`;
    }
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'gpt-tokenizer: the end 2, the <|endoftext|> error, the <|fim_prefix|> error, the <|im_start|> error
js-tiktoken: the end 2, the <|endoftext|> error, the <|fim_prefix|> 7, the <|im_start|> 7
tiktoken: the end 2, the <|endoftext|> error, the <|fim_prefix|> 7, the <|im_start|> 7
ai-tokenizer: the end 2, the <|endoftext|> error, the <|fim_prefix|> 7, the <|im_start|> 7
tiktoken encode_ordinary: the end 2, the <|endoftext|> 8, the <|fim_prefix|> 7, the <|im_start|> 7
gpt-tokenizer, none disallowed: the end 2, the <|endoftext|> 8, the <|fim_prefix|> 7, the <|im_start|> 7
js-tiktoken, none disallowed: the end 2, the <|endoftext|> 8, the <|fim_prefix|> 7, the <|im_start|> 7' ]

#!/usr/bin/env bash
# What does a call of a model cost with a million tokens of input, and if 900,000 of these come from the vendor's cache? In dollars, by two libraries with lists of prices.
# Expected: less with the cache: gpt-4o takes 2.50 for a million and 1.25 for a million from the cache, so 2.50 and 1.375; claude-sonnet-4 3 and 0.57. `inputTokens` of the AI SDK and `prompt_tokens` of OpenAI count the cached ones as well.
# Seen on 2026-11-29: tokenlens 1.3.1 charges all of the input at the full price and the cached ones once more: 3.625 and 3.27, more than without a cache, whether the usage comes in the words of the AI SDK or of OpenAI. Only for counts without the
# cached ones, as Anthropic's API has them, its sum is right. @pydantic/genai-prices 0.1.8 is right. A service that passes its costs on charges three times as much.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts tokenlens@1.3.1 @pydantic/genai-prices@0.1.8
cat > seen.mjs <<'JS'
import { calcPrice } from "@pydantic/genai-prices";
import { getTokenCosts } from "tokenlens";
const million = 1_000_000;
const libraries = {
  tokenlens: (vendor, model, cached) => getTokenCosts({ modelId: `${vendor}:${model}`, usage: { inputTokens: million, cachedInputTokens: cached, outputTokens: 0 } }).totalUSD,
  "@pydantic/genai-prices": (vendor, model, cached) => calcPrice({ input_tokens: million, cache_read_tokens: cached, output_tokens: 0 }, model).total_price,
};
for (const [name, price] of Object.entries(libraries)) {
  const seen = [["openai", "gpt-4o"], ["anthropic", "claude-sonnet-4-20250514"]].map(([vendor, model]) => `${model} ${[0, 0.9 * million].map((cached) => Number(price(vendor, model, cached).toFixed(6))).join(" and ")}`);
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'tokenlens: gpt-4o 2.5 and 3.625, claude-sonnet-4-20250514 3 and 3.27
@pydantic/genai-prices: gpt-4o 2.5 and 1.375, claude-sonnet-4-20250514 3 and 0.57' ]

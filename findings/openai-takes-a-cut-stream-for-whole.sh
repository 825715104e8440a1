#!/usr/bin/env bash
# A streamed answer of a model is cut after "The price is 1", because a proxy in between closes the response properly: the last events, which
# say that the answer is complete, do not come.
# Expected: every way to read it throws, because the end of the protocol ([DONE], response.completed, message_stop) is missing.
# Seen on 2026-11-29: with openai 7.59.0 `for await` ends as if all were there, for chat completions and for responses, and
# `responses.stream().finalResponse()` resolves with the half text, with status "in_progress"; `chat.completions.stream()` throws. With
# @anthropic-ai/sdk 1.14.0 `for await` ends as well, and `messages.stream()` throws. So who passes a stream on, or counts tokens from its
# last event, has to look for that event.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts openai@7.59.0 @anthropic-ai/sdk@1.14.0
cat > seen.mjs <<'JS'
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const text = "The price is 1";
const at = { output_index: 0, content_index: 0, item_id: "m" };
const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }] };
const item = { id: "m", type: "message", role: "assistant", content: [], status: "in_progress" };
const bodies = {
  "/chat/completions": `data: ${JSON.stringify(chunk)}\n\n`,
  "/responses":
    event("response.created", { sequence_number: 0, response: { id: "r", output: [], status: "in_progress" } }) +
    event("response.output_item.added", { sequence_number: 1, output_index: 0, item }) +
    event("response.content_part.added", { sequence_number: 2, ...at, part: { type: "output_text", text: "", annotations: [] } }) +
    event("response.output_text.delta", { sequence_number: 3, ...at, delta: text }),
  "/v1/messages":
    event("message_start", { message: { ...item, model: "m", stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } }) +
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
};
const options = {
  apiKey: "k",
  baseURL: "http://model.test",
  fetch: async (url) => new Response(bodies[new URL(url).pathname], { headers: { "content-type": "text/event-stream" } }),
};
const openai = new OpenAI(options);
const anthropic = new Anthropic(options);
const messages = [{ role: "user", content: "What does it cost?" }];
const chat = { model: "m", messages };
const asked = { model: "m", input: "What does it cost?" };
const message = { model: "m", max_tokens: 9, messages };
const joined = async (stream, textOf) => {
  let all = "";
  for await (const part of await stream) all += textOf(part) ?? "";
  return all;
};
const reads = {
  "openai, chat, for await": () => joined(openai.chat.completions.create({ ...chat, stream: true }), (part) => part.choices[0].delta.content),
  "openai, chat, final": async () => (await openai.chat.completions.stream(chat).finalChatCompletion()).choices[0].message.content,
  "openai, responses, for await": () => joined(openai.responses.create({ ...asked, stream: true }), (part) => part.delta),
  "openai, responses, final": async () => {
    const { output_text, status } = await openai.responses.stream(asked).finalResponse();
    return `${output_text} (${status})`;
  },
  "anthropic, for await": () => joined(anthropic.messages.create({ ...message, stream: true }), (part) => part.delta?.text),
  "anthropic, final": () => anthropic.messages.stream(message).finalText(),
};
for (const [name, read] of Object.entries(reads)) console.log(`${name}: ${await read().catch(() => "throws")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'openai, chat, for await: The price is 1
openai, chat, final: throws
openai, responses, for await: The price is 1
openai, responses, final: The price is 1 (in_progress)
anthropic, for await: The price is 1
anthropic, final: throws' ]

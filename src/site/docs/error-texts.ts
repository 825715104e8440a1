import type { ErrorCode } from "#errors.ts";
import { FINDINGS_MAX } from "#limits.ts";

/**
 * What the errors page says of each code: `cause` says when the error occurs, `cure` what the client can do. Apart from the
 * codes, because the API Worker does not need it.
 */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, { cause: string; cure: string }>> = {
  invalid_json: {
    cause: "The body does not follow the JSON grammar (RFC 8259), or nests deeper than 512 levels.",
    cure: "`detail` gives the line and column of the first error. Correct the JSON and send it again.",
  },
  invalid_utf8: {
    cause: "The bytes of a text, or of JSON, are not well-formed UTF-8.",
    cure: "Encode the body as UTF-8. A byte order mark at its start is allowed. Send a file that is not text as `application/octet-stream` or in a form.",
  },
  invalid_request: {
    cause:
      "A field is missing, unknown, given twice, of the wrong type or out of range, the query, a form or a header is malformed, or the tool rejects the input.",
    cure: `\`errors\` lists every problem with its place: \`pointer\` for a field of the body, \`parameter\` for the query, \`header\` for a header. Of very many problems it lists the first ${FINDINGS_MAX} and counts the rest. Correct all of them and send the request again.`,
  },
  text_too_long_for_level: {
    cause:
      "The text is too long for this error correction level. A higher level leaves less room for data.",
    cure: "Shorten the text, or request the level in `fits`. The service never lowers the level on its own.",
  },
  idempotency_key_reused: {
    cause:
      "You used this `Idempotency-Key` on the same path in the last 24 hours for another request, or an earlier version of the service made the first response and the current version cannot reproduce it.",
    cure: "Use a new `Idempotency-Key` for each new request. To repeat a request, send the same fields in the same way (JSON, raw, form or query) and ask for the same type with `Accept`.",
  },
  missing_key: {
    cause: "The request has no `Authorization: Bearer <API key>` header, or uses another scheme.",
    cure: "Send `Authorization: Bearer tb_...` with a key of your account. If the request has a key in another place, `detail` says where.",
  },
  invalid_key: {
    cause:
      "The key is mistyped or truncated, as its checksum shows: then `detail` says so. Or the key is unknown or revoked, or its account is closed; the response does not say which. Or the key has expired, or was rotated and its old secret no longer works: then `detail` says so, and `expiredAt` says when.",
    cure: "Check that you copied the whole key. If the key was revoked, use a new one. If it was rotated, send its new secret; if it has expired, use another key or set a later expiry under Settings, API keys.",
  },
  insufficient_credits: {
    cause:
      "The call costs more credits than the account can spend. Credits that running calls hold cannot be spent: `heldCredits` says how many there are, if any, and what the calls do not cost comes back.",
    cure: "Add credits to the account, then send the call again. `detail` says how, and `topUpUrl`, if there is one, is the page or the address that helps. The failed call was not charged.",
  },
  key_budget_exhausted: {
    cause:
      "The key has a daily, monthly or total budget (`limitSource`), and the call costs more than is left of it (`budget`). Credits that running calls of the key hold count as spent: `heldCredits` says how many there are, if any, and what the calls do not cost comes back. The account may still have credits.",
    cure: "Wait until the budget resets (`resetsAt`, in UTC), use another key, or raise the budget under Settings, API keys. If the account has too few credits as well, `topUpUrl`, if there is one, is where you get more. The failed call was not charged.",
  },
  account_suspended: {
    cause: "The operator of this service has suspended the account. Its keys and credits are kept.",
    cure: "Contact the operator of this service.",
  },
  key_not_allowed: {
    cause:
      "The key is limited to some tools or networks, and the call is to another tool, or comes from another network (`limitSource`).",
    cure: "Use a key that may make this call, or change the limits of the key under Settings, API keys.",
  },
  not_found: {
    cause: "No endpoint has this path. Paths are lowercase and have no trailing slash.",
    cure: "Check the path against the list of endpoints in the documentation.",
  },
  method_not_allowed: {
    cause: "The path does not support this method. Tools are called with POST.",
    cure: "Send the request with one of the methods in the `Allow` header.",
  },
  not_acceptable: {
    cause:
      "`Accept` allows neither JSON nor another type that the tool responds with, or it contradicts the field `format`.",
    cure: "`detail` lists the types. Ask for one of them, or leave `Accept` out to get JSON.",
  },
  request_timeout: {
    cause: "The client took too long to send the headers or the body.",
    cure: "Send the request again, over a faster connection or with a smaller body.",
  },
  idempotency_in_progress: {
    cause:
      "Another request with the same `Idempotency-Key` on the same path has not finished yet, or the server that ran it has died. For a tool that is paid before it runs, repeats then get this error for a while; `detail` says for how long at most.",
    cure: "Wait as long as `Retry-After` says, then repeat the request, until you get the first response or another error.",
  },
  outcome_unknown: {
    cause:
      "The tool changes something outside of the service, and the first call with this `Idempotency-Key` did not end with a response (it failed, ran out of time, or its server stopped), or its charge was reversed. It may have done its work.",
    cure: "Find out whether the work was done, or send `callId` to the operator, who can look the call up. It does not run again under this `Idempotency-Key` for 24 hours. To run it again, use a new one.",
  },
  too_large: {
    cause: "The body, a file, or the UTF-8 text of a field exceeds its limit.",
    cure: "`detail` gives the limit and the size. Send less data in each request.",
  },
  unsupported_media_type: {
    cause:
      "The tool does not take a body of this `Content-Type`, or the `Content-Encoding` is not gzip.",
    cure: "Set the Content-Type to what the body is: `application/json`, or one of the types in `detail` and in the response's `Accept` header. Send it uncompressed or with `Content-Encoding: gzip`.",
  },
  rate_limited: {
    cause:
      "`limitSource` says which limit: `account` and `key`, the calls per second of the account or of the key; `idempotency_key`, the repeats of one call within a minute, where repeating it is costly; `kept_responses`, the responses that are kept for 24 hours under idempotency keys; `network`, keys that are not valid from your network.",
    cure: "Wait as long as `Retry-After` says. The `RateLimit` header of every response says how many calls of the account are left. If `limitSource` is `network`, check your key first.",
  },
  upstream_rejected: {
    cause:
      "The tool forwards calls to another service, which responded with a status from 400 to 499 other than 401, 403 and 429. `upstream` has the status and, if the service sent one, its problem.",
    cure: "`upstream.problem` says what is wrong, in the words of that service. Correct the request and send it again, with a new `Idempotency-Key`. The call was not charged.",
  },
  headers_too_large: {
    cause: "The request line and the headers together exceed 32 KB.",
    cure: "Send fewer or shorter headers.",
  },
  internal: {
    cause:
      "Something failed in the service. The failure is logged under the response's `requestId`.",
    cure: "Try again. If the error persists, send the `requestId` to the operator. The call was not charged. If the response could not be made after the call was charged, `charged` is `reversed`: the charge is reversed automatically.",
  },
  tool_failed: {
    cause:
      "The tool threw an error, ended its thread, returned something that its own description forbids, or returned more than is kept under an `Idempotency-Key` (`detail` then says so). The failure is logged under the response's `requestId`.",
    cure: "Check whether another input works, unless `detail` says that the call may have done its work: then find out what it has done. If the error persists, send the `requestId` to the operator. The call was not charged.",
  },
  upstream_failed: {
    cause:
      "The tool forwards calls to another service, which cannot be reached, responded with a status of 500 or more, does not accept the operator's requests (401, 403, 429), broke the connection, sent too much, or sent a response that its description does not allow.",
    cure: "Try again later, unless `detail` says that the call may have done its work: then find out what it has done. The call was not charged. If the error persists, send the `requestId` to the operator.",
  },
  unavailable: {
    cause:
      "The service cannot reach the ledger, or is already handling as many large calls or connections as it can, or has no space for the file of the call.",
    cure: "Try again after the time in `Retry-After`. The call was not charged, unless `charged` is `unknown`: the service lost its connection to the ledger in the middle of the charge. A charge that was made is then reversed automatically. If the call has an `Idempotency-Key`, repeat it instead: it is not charged twice. Send `callId` to the operator if you ask about the call.",
  },
  tool_timeout: {
    cause: "The tool did not finish within its time limit and was stopped.",
    cure: "Send a smaller input, or try again later, unless `detail` says that the call may have done its work: then find out what it has done. The call was not charged.",
  },
};

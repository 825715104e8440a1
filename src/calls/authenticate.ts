import { accountOfKey, isWellFormedKey, KEY_CHARS, keyPattern } from "#accounts/key-format.ts";
import type { Brand } from "#brand.ts";
import { ApiError } from "#errors.ts";
import type { Caller, KeyedRequest } from "./call.ts";
import { invalidKey, rejectedKey } from "./call-errors.ts";
import type { ApiRequest } from "./exchange.ts";

/**
 * The first step of a call: reads the account that a bearer key claims from the key itself. A key that is malformed, has a wrong
 * checksum or names an invented account can never become valid, so it is rejected here. The ledger decides about every other key.
 *
 * Throws an ApiError `missing_key` or `invalid_key`. Returns no promise if the key is known or the runtime hashes synchronously.
 */
export function authenticate(request: KeyedRequest): Promise<void> | undefined {
  const { deps } = request;
  const key = readBearer(request.request);
  const known = deps.keys.find(key);
  if (known !== undefined) return enter(request, known);
  const hashed = deps.app.hashKey(key);
  return typeof hashed === "string"
    ? enter(request, identify(request, key, hashed))
    : hashed.then((keySha256) => enter(request, identify(request, key, keySha256)));
}

function identify({ deps }: KeyedRequest, key: string, keySha256: string): Caller {
  const account = accountOfKey(key, deps.app.settings.secrets);
  if (account === undefined) {
    throw isWellFormedKey(key) ? invalidKey() : mistypedKey(key, deps.app.settings);
  }
  return { key, account, keySha256, keyId: null, known: false };
}

function enter(request: KeyedRequest, caller: Caller): undefined {
  const { deps, context, connection } = request;
  request.caller = caller;
  context.account = caller.account;
  context.key = caller.keyId;
  request.address = deps.app.clientAddress(connection);
  context.address = request.address;
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer(?: +(.*))?$/i;

/** A variable or a placeholder that was sent as it stands: `$KEY`, `%KEY%`, `{{key}}`, `<API key>`. No key begins so. */
const PLACEHOLDER = /^[$%{<]/;

type HasKey = Pick<ApiRequest, "headers" | "url">;

function readBearer(request: HasKey): string {
  const header = request.headers.get("authorization");
  const match = header === null ? null : BEARER.exec(header);
  // An unset shell variable leaves "Bearer " without a key.
  const key = match?.[1];
  if (!key || PLACEHOLDER.test(key)) throw missingKey(findMisplacedKey(request));
  return key;
}

/** `found`: a sentence about what the request has in place of the key. */
export const missingKey = (found = "The request has no API key.") =>
  new ApiError(
    "missing_key",
    `${found} Send the key in the header \`Authorization: Bearer <API key>\`.`,
  );

/** Says where the request has something that looks like a key, never what it is. */
function findMisplacedKey({ headers, url }: HasKey): string | undefined {
  const value = headers.get("authorization");
  if (value !== null && value !== "") return describeAuthorization(value);
  const header = KEY_HEADERS.find((name) => headers.get(name));
  if (header !== undefined) return `The API key is in the header \`${header}\`, which is not read.`;
  const parameter = (KEY_PARAMETER.exec(url) ?? ANY_PARAMETER.exec(url))?.[1];
  if (parameter) return `The API key is in the URL, as \`${parameter}\`. URLs end up in logs.`;
  return ANY_KEY.test(headers.get("cookie") ?? "")
    ? "The API key is in a cookie, which is not read."
    : undefined;
}

function describeAuthorization(value: string): string {
  const key = BEARER.exec(value);
  if (key?.[1]) return "`Authorization` has a variable or a placeholder in place of the API key.";
  if (key) return "`Authorization` has no API key after `Bearer`. Is your variable empty?";
  const scheme = /^(basic|digest|token|apikey|api-key|key) /i.exec(value)?.[1];
  return scheme === undefined
    ? "`Authorization` does not begin with `Bearer` and a space."
    : `\`Authorization\` has the scheme \`${scheme}\` in place of \`Bearer\`.`;
}

/** Where other services expect their keys. */
const KEY_HEADERS = [
  ...["X-API-Key", "Api-Key", "ApiKey", "X-API-Token", "X-Auth-Token", "X-Access-Token"],
  ...["X-Auth-Key", "Token", "Proxy-Authorization"],
];
const KEY_PARAMETER = /[?&]((?:api[-_]?|access[-_]?)?(?:key|token))=[^&#]/i;
const ANY_KEY = new RegExp(`\\b${keyPattern()}`);
const ANY_PARAMETER = new RegExp(`[?&]([\\w-]{1,40})=${keyPattern()}`);

/** Anyone can verify a checksum offline, so this reveals nothing. */
const mistypedKey = (key: string, { keyPrefix }: Brand): ApiError =>
  rejectedKey(
    KEY_ID.test(key)
      ? `This is the id of an API key, not the key. The key begins with \`${keyPrefix}\` and is shown once, when it is created.`
      : `This API key looks mistyped or truncated: a key is \`${keyPrefix}\` followed by ${KEY_CHARS} letters and digits, the last six of which are a checksum. Copy the whole key again, without quotes.`,
  );

const KEY_ID = /^key_[0-9A-Za-z]+$/;

import { accountOfKey, isWellFormedKey, KEY_CHARS, KEY_PATTERN } from "#accounts/key-format.ts";
import { ApiError } from "#errors.ts";
import type { CallContext } from "./call-context.ts";
import type { ApiRequest } from "./exchange.ts";

/**
 * Reads the account that a bearer key claims from the key itself. A key that is malformed, has a wrong checksum or
 * names an invented account can never become valid, so it is rejected here. The ledger decides about every other key.
 */
export type Caller = {
  account: string;
  keySha256: string;
  /** The key's id, for the access log. Null until the ledger has named it to this node. */
  keyId: string | null;
  /** The ledger has accepted this key on this node before. This saves a query and grants nothing. */
  known: boolean;
};

/** Keys remembered per node, about 250 bytes each. The oldest is dropped first. */
const KNOWN_KEYS_MAX = 20_000;

type KeyRequest = Pick<ApiRequest, "headers" | "url">;

export type Authenticator = {
  /** Throws an ApiError `missing_key` or `invalid_key`. Returns no promise if the runtime hashes synchronously. */
  authenticate(request: KeyRequest): Caller | Promise<Caller>;
  remember(caller: Caller): void;
  forget(caller: Pick<Caller, "keySha256">): void;
};

export function createAuthenticator(app: Pick<CallContext, "hashKey" | "settings">): Authenticator {
  const known = new Map<string, Pick<Caller, "account" | "keyId">>();

  function authenticate(request: KeyRequest): Caller | Promise<Caller> {
    const key = readBearer(request);
    const hashed = app.hashKey(key);
    return typeof hashed === "string"
      ? identify(key, hashed)
      : hashed.then((keySha256) => identify(key, keySha256));
  }

  function identify(key: string, keySha256: string): Caller {
    const earlier = known.get(keySha256);
    if (earlier !== undefined)
      return { account: earlier.account, keySha256, keyId: earlier.keyId, known: true };
    const account = accountOfKey(key, app.settings.secrets);
    if (account === undefined) throw isWellFormedKey(key) ? invalidKey() : mistypedKey(key);
    return { account, keySha256, keyId: null, known: false };
  }

  return {
    authenticate,
    remember({ keySha256, account, keyId }) {
      const earlier = known.get(keySha256);
      if (earlier !== undefined) {
        earlier.keyId ??= keyId;
        return;
      }
      if (known.size >= KNOWN_KEYS_MAX) known.delete(known.keys().next().value as string);
      known.set(keySha256, { account, keyId });
    },
    forget({ keySha256 }) {
      known.delete(keySha256);
    },
  };
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer(?: +(.*))?$/i;

/** A variable or a placeholder that was sent as it stands: `$KEY`, `%KEY%`, `{{key}}`, `<API key>`. No key begins so. */
const PLACEHOLDER = /^[$%{<]/;

/** Longer than any key: not worth hashing. */
const KEY_CHARS_MAX = 200;

function readBearer(request: KeyRequest): string {
  const header = request.headers.get("authorization");
  const match = header === null ? null : BEARER.exec(header);
  // An unset shell variable leaves "Bearer " without a key.
  const key = match?.[1];
  if (!key || PLACEHOLDER.test(key)) throw missingKey(findMisplacedKey(request));
  if (key.length > KEY_CHARS_MAX) throw mistypedKey(key);
  return key;
}

/** `found`: a sentence about what the request has in place of the key. */
export const missingKey = (found = "The request has no API key.") =>
  new ApiError(
    "missing_key",
    `${found} Send the key in the header \`Authorization: Bearer <API key>\`.`,
    { headers: { "WWW-Authenticate": 'Bearer realm="toolbooth"' } },
  );

/** Says where the request has something that looks like a key, never what it is. */
function findMisplacedKey({ headers, url }: KeyRequest): string | undefined {
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
const ANY_KEY = new RegExp(KEY_PATTERN);
const ANY_PARAMETER = new RegExp(`[?&]([\\w-]{1,40})=${KEY_PATTERN}`);

/** The same wording for unknown and revoked keys and for closed accounts, so that it does not reveal which applies. */
export const invalidKey = (): ApiError =>
  rejectedKey(
    "This API key is not valid. Check that it is a key of this service and has not been revoked.",
  );

/** Anyone can verify a checksum offline, so this reveals nothing. */
const mistypedKey = (key: string): ApiError =>
  rejectedKey(
    KEY_ID.test(key)
      ? "This is the id of an API key, not the key. The key begins with `tb_` and is shown once, when it is created."
      : `This API key looks mistyped or truncated: a key is \`tb_\` followed by ${KEY_CHARS} letters and digits, the last six of which are a checksum. Copy the whole key again, without quotes.`,
  );

const KEY_ID = /^key_[0-9A-Za-z]+$/;

const rejectedKey = (detail: string): ApiError =>
  new ApiError("invalid_key", detail, {
    headers: { "WWW-Authenticate": 'Bearer realm="toolbooth", error="invalid_token"' },
  });

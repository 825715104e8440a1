import { accountOfKey } from "#accounts/key-format.ts";
import { ApiError } from "#errors.ts";
import type { AppContext } from "../app-context.ts";

/**
 * Reads the account that a bearer key claims from the key itself. A key that is malformed, has a wrong checksum or
 * names an invented account can never become valid, so it is rejected here. The ledger decides about every other key.
 */
export type Caller = {
  account: string;
  keySha256: string;
  /** The ledger has accepted this key on this node before. This saves a query and grants nothing. */
  known: boolean;
};

/** Keys remembered per node, about 150 bytes each. The oldest is dropped first. */
const KNOWN_KEYS_MAX = 20_000;

export type Authenticator = {
  /** Throws an ApiError `missing_key` or `invalid_key`. Returns no promise if the runtime hashes synchronously. */
  authenticate(headers: Headers): Caller | Promise<Caller>;
  remember(caller: Caller): void;
  forget(caller: Caller): void;
};

export function createAuthenticator(app: Pick<AppContext, "hashKey" | "settings">): Authenticator {
  const known = new Map<string, string>();

  function authenticate(headers: Headers): Caller | Promise<Caller> {
    const key = readBearer(headers.get("authorization"));
    const hashed = app.hashKey(key);
    return typeof hashed === "string"
      ? identify(key, hashed)
      : hashed.then((keySha256) => identify(key, keySha256));
  }

  function identify(key: string, keySha256: string): Caller {
    const knownAccount = known.get(keySha256);
    if (knownAccount !== undefined) return { account: knownAccount, keySha256, known: true };
    const account = accountOfKey(key, app.settings.secrets);
    if (account === undefined) throw invalidKey();
    return { account, keySha256, known: false };
  }

  return {
    authenticate,
    remember({ keySha256, account }) {
      if (known.has(keySha256)) return;
      if (known.size >= KNOWN_KEYS_MAX) known.delete(known.keys().next().value as string);
      known.set(keySha256, account);
    },
    forget({ keySha256 }) {
      known.delete(keySha256);
    },
  };
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer(?: +(.*))?$/i;

/** Longer than any key: not worth hashing. */
const KEY_CHARS_MAX = 200;

function readBearer(header: string | null): string {
  const match = header === null ? null : BEARER.exec(header);
  // An unset shell variable leaves "Bearer " without a key.
  const key = match?.[1];
  if (!key) {
    throw missingKey();
  }
  if (key.length > KEY_CHARS_MAX) throw invalidKey();
  return key;
}

export const missingKey = () =>
  new ApiError(
    "missing_key",
    "The request has no API key. Send one in the header `Authorization: Bearer <API key>`.",
    { headers: { "WWW-Authenticate": 'Bearer realm="toolbooth"' } },
  );

/**
 * The same wording for malformed, unknown and revoked keys and for closed accounts, so that it does not reveal which
 * applies.
 */
export function invalidKey(): ApiError {
  return new ApiError(
    "invalid_key",
    "This API key is not valid. Check that you copied the whole key and that it has not been revoked.",
    {
      headers: { "WWW-Authenticate": 'Bearer realm="toolbooth", error="invalid_token"' },
    },
  );
}

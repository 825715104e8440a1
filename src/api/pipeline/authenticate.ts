import { accountOfKey } from "#accounts/key-format.ts";
import { ApiError } from "#errors.ts";
import type { AppContext } from "../app-context.ts";

/**
 * Who calls: the account that a bearer key claims, as far as it can be told without the ledger. What is malformed, has
 * a wrong checksum or an invented account is refused here and can never become good; everything else the ledger decides.
 */
export type Caller = {
  account: string;
  keySha256: string;
  /** The ledger has found this key good on this node before. Spares questions; grants nothing. */
  known: boolean;
};

/** Keys remembered per node; about 150 bytes each. The one remembered longest ago makes room. */
const KNOWN_KEYS_MAX = 20_000;

export type Authenticator = {
  /** Throws a Fault `missing_key` or `invalid_key`. Needs no promise where the runtime hashes at once. */
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

/** The scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer(?: +(.*))?$/i;

/** Longer than any key: not worth hashing. */
const KEY_CHARS_MAX = 200;

function readBearer(header: string | null): string {
  const match = header === null ? null : BEARER.exec(header);
  // "Bearer " and nothing more is what an unset shell variable makes of the line.
  const key = match?.[1];
  if (!key) {
    throw new ApiError(
      "missing_key",
      "Send an API key in the header `Authorization: Bearer <API key>`.",
      { headers: { "WWW-Authenticate": 'Bearer realm="toolbooth"' } },
    );
  }
  if (key.length > KEY_CHARS_MAX) throw invalidKey();
  return key;
}

/** One wording for keys that are malformed, unknown, revoked, or of a closed account: nobody learns which. */
export function invalidKey(): ApiError {
  return new ApiError(
    "invalid_key",
    "This API key is not valid. Check that the whole key was copied.",
    {
      headers: { "WWW-Authenticate": 'Bearer realm="toolbooth", error="invalid_token"' },
    },
  );
}

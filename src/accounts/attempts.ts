import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { AuthContext } from "better-auth";
import { keyedHex } from "./keyed-hash.ts";

/**
 * Attempts to show that someone reads the emails of an address: to sign in or up, or to move an account to the address.
 *
 * An attempt belongs to one address and one browser, which holds a secret of 142 bits in a cookie. The email has a code of 8
 * digits, which works in this browser only, and a link with a secret of its own. Somebody else's attempt for the same address is
 * another row, so it never invalidates this one. The database has hashes only: of the secrets, and of the code under SECRET,
 * because eight digits could be guessed from a plain hash. The code is derived from the link's secret, so that the link can show
 * it in another browser.
 */
export type Attempt = {
  id: string;
  purpose: AttemptPurpose;
  /** In lower case. */
  email: string;
  /** The user whose address changes; null for a sign-in. */
  userId: string | null;
  browser: string;
  link: string;
  code: string;
  tries: number;
};

/** `undo` is the link that takes a change of the address back (`stores/sql/user-changes.ts`). */
export type AttemptPurpose = "sign-in" | "new-address" | "undo";

export const ATTEMPT_MINUTES = 10;
export const TRIES_MAX = 5;
const CODE_DIGITS = 8;
const MODEL = "attempt";

/** `ended`: expired, used, without tries left, or of another browser. `barred`: `mayTry` does not allow it. */
export type CodeOutcome =
  | { outcome: "right"; attempt: Attempt }
  | { outcome: "wrong"; email: string; triesLeft: number }
  | { outcome: "barred"; email: string }
  | { outcome: "ended" };

/** `shown`: the link was opened in another browser than the attempt began in. */
export type LinkOutcome =
  | { outcome: "right"; attempt: Attempt }
  | { outcome: "shown"; code: string }
  | { outcome: "ended" };

type Options = {
  /** Derived from the service's secrets; the first is the current one. */
  secrets: readonly string[];
  adapter(): Promise<
    Pick<AuthContext["adapter"], "create" | "findOne" | "incrementOne" | "consumeOne">
  >;
  newId(): string;
  now(): number;
};

export type Attempts = ReturnType<typeof createAttempts>;

export function createAttempts({ secrets, adapter, newId, now }: Options) {
  const current = secrets[0] ?? "";
  const isLive = () => ({ field: "expiresAt", operator: "gt", value: new Date(now()) }) as const;

  /** Deletes the attempt. Of several requests, one gets it. */
  async function use({ id }: Pick<Attempt, "id">): Promise<Attempt | null> {
    const { consumeOne } = await adapter();
    return consumeOne<Attempt>({ model: MODEL, where: [{ field: "id", value: id }] });
  }

  return {
    /** `browser` goes into the cookie, `link` and `code` into the email. */
    async begin(purpose: AttemptPurpose, email: string, userId: string | null = null) {
      const [browser, link] = [newId(), newId()];
      const code = codeOf(current, link);
      const { create } = await adapter();
      const data = {
        ...{ purpose, email, userId, tries: 0 },
        browser: hashOf(browser),
        link: hashOf(link),
        code: codeHash(current, hashOf(link), code),
        createdAt: new Date(now()),
        expiresAt: new Date(now() + ATTEMPT_MINUTES * 60_000),
      };
      await create({ model: MODEL, data });
      return { browser, link, code };
    },

    /**
     * Tries a code in the browser with this secret. Every try counts, in one statement with the look at the bound, before the codes are
     * compared. `mayTry` can bar the address.
     */
    async enter(
      purpose: AttemptPurpose,
      browser: string,
      code: string,
      mayTry: (email: string) => Promise<boolean>,
    ): Promise<CodeOutcome> {
      const { incrementOne } = await adapter();
      const attempt = await incrementOne<Attempt>({
        model: MODEL,
        where: [
          { field: "browser", value: hashOf(browser) },
          { field: "purpose", value: purpose },
          { field: "tries", operator: "lt", value: TRIES_MAX },
          isLive(),
        ],
        increment: { tries: 1 },
      });
      if (attempt === null) return { outcome: "ended" };
      const { email } = attempt;
      if (!(await mayTry(email))) return { outcome: "barred", email };
      const isRight = secrets.some(
        (secret) => codeHash(secret, attempt.link, code) === attempt.code,
      );
      if (!isRight) return { outcome: "wrong", email, triesLeft: TRIES_MAX - attempt.tries };
      const used = await use(attempt);
      return used === null ? { outcome: "ended" } : { outcome: "right", attempt: used };
    },

    /** Opens the link of a sign-in. In another browser it uses nothing up. */
    async open(link: string, browser: string | undefined): Promise<LinkOutcome> {
      const { findOne } = await adapter();
      const where = [
        { field: "link", value: hashOf(link) },
        { field: "purpose", value: "sign-in" },
        isLive(),
      ];
      const attempt = await findOne<Attempt>({ model: MODEL, where });
      if (attempt === null) return { outcome: "ended" };
      if (browser !== undefined && hashOf(browser) === attempt.browser) {
        const used = await use(attempt);
        return used === null ? { outcome: "ended" } : { outcome: "right", attempt: used };
      }
      const secret = secrets.find(
        (each) => codeHash(each, attempt.link, codeOf(each, link)) === attempt.code,
      );
      if (secret === undefined || attempt.tries >= TRIES_MAX) return { outcome: "ended" };
      return { outcome: "shown", code: codeOf(secret, link) };
    },
  };
}

/** The hash of a secret of an attempt. The secrets are too long to be guessed, so it needs no key. */
export const hashOf = (secret: string): string => bytesToHex(sha256(utf8ToBytes(secret)));

/** `link`: the hash of the link's secret, which makes equal codes of two attempts look different. */
const codeHash = (secret: string, link: string, code: string): string =>
  keyedHex(secret, `toolbooth code ${link} ${code}`);

function codeOf(secret: string, link: string): string {
  const number = BigInt(`0x${keyedHex(secret, `toolbooth code of ${link}`).slice(0, 32)}`);
  return String(number % 10n ** BigInt(CODE_DIGITS)).padStart(CODE_DIGITS, "0");
}

/** The table, for better-auth's adapter. */
export const ATTEMPT_SCHEMA = {
  [MODEL]: {
    modelName: "sign_in_attempt",
    fields: {
      purpose: { type: "string", required: true },
      email: { type: "string", required: true },
      userId: { type: "string", required: false },
      browser: { type: "string", required: true },
      link: { type: "string", required: true },
      code: { type: "string", required: true },
      tries: { type: "number", required: true },
      createdAt: { type: "date", required: true },
      expiresAt: { type: "date", required: true },
    },
  },
} as const;

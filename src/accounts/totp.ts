import { createOTP } from "@better-auth/utils/otp";
import type { AuthContext } from "better-auth";
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { CLOCK_SKEW_MAX_MS } from "#ledger/throttle.ts";

/**
 * Codes of an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds) and recovery codes, in the table of better-auth's
 * plugin `two-factor`. The plugin asks for a code at sign-in. It does not reject a code that was used before, and does not
 * bound the attempts of a user who is signed in, so both are here.
 */
export type TotpContext = Pick<AuthContext, "secretConfig"> & {
  adapter: Pick<AuthContext["adapter"], "findOne" | "update" | "incrementOne">;
};

export type TotpRow = {
  id: string;
  userId: string;
  secret: string;
  backupCodes: string;
  /** Whether the app was set up. Without it the row holds the recovery codes of a user who has passkeys. */
  verified: boolean;
  failedVerificationCount: number;
  lockedUntil: Date | string | null;
  usedStep: number;
};

/** `locked`: too many wrong codes in a row. */
export type CodeOutcome = "right" | "wrong" | "locked";

export const TOTP_MODEL = "twoFactor";
export const ISSUER = "Toolbooth";
const STEP_MS = 30_000;
/** Clocks of phones differ: a code counts in its step, the one before and the one after (RFC 6238, 5.2). */
const STEPS_AROUND = [-1, 0, 1];
/** Wrong codes in a row until codes are locked, at sign-in and elsewhere together, and for how long. */
export const WRONG_CODES_MAX = 10;
export const LOCK_SECONDS = 15 * 60;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_CHARS = 10;
const SECRET_CHARS = 32;

export const newTotpSecret = (): string => generateRandomString(SECRET_CHARS);

/** Ten codes such as `k3x9q-7mz2p`, each of 51 random bits. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const code = generateRandomString(RECOVERY_CODE_CHARS, "a-z", "0-9");
    return `${code.slice(0, RECOVERY_CODE_CHARS / 2)}-${code.slice(RECOVERY_CODE_CHARS / 2)}`;
  });

export const encrypt = ({ secretConfig }: TotpContext, data: string): Promise<string> =>
  symmetricEncrypt({ key: secretConfig, data });
export const decrypt = ({ secretConfig }: TotpContext, data: string): Promise<string> =>
  symmetricDecrypt({ key: secretConfig, data });

export const findTotp = ({ adapter }: TotpContext, user: string): Promise<TotpRow | null> =>
  adapter.findOne<TotpRow>({ model: TOTP_MODEL, where: [{ field: "userId", value: user }] });

export async function readRecoveryCodes(context: TotpContext, row: TotpRow): Promise<string[]> {
  const codes: unknown = JSON.parse(await decrypt(context, row.backupCodes));
  return Array.isArray(codes) ? codes.filter((code) => typeof code === "string") : [];
}

/** Codes as people type them: with spaces, in capitals, or without the hyphen. */
export const spellTotpCode = (text: string): string => text.replaceAll(/\s/g, "");
export function spellRecoveryCode(text: string): string {
  const code = text.replaceAll(/[\s-]/g, "").toLowerCase();
  return `${code.slice(0, RECOVERY_CODE_CHARS / 2)}-${code.slice(RECOVERY_CODE_CHARS / 2)}`;
}

/** The step whose code this is; null: of no step around `now`. Takes the same time for every wrong code. */
export async function stepOf(secret: string, code: string, now: number): Promise<number | null> {
  const otp = createOTP(secret);
  let found: number | null = null;
  for (const offset of STEPS_AROUND) {
    const step = Math.floor(now / STEP_MS) + offset;
    if (isSame(code, await otp.hotp(step))) found = step;
  }
  return found;
}

function isSame(code: string, expected: string): boolean {
  let difference = code.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) {
    difference |= code.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}

/**
 * Returns whether the code is right and unused, and marks its step and those before as used, in one statement: of concurrent
 * requests with the same code only one succeeds.
 */
export async function claimTotpCode(
  context: TotpContext,
  row: TotpRow,
  code: string,
  now: number,
): Promise<boolean> {
  const step = await stepOf(await decrypt(context, row.secret), spellTotpCode(code), now);
  if (step === null) return false;
  const claimed = await context.adapter.incrementOne({
    model: TOTP_MODEL,
    where: [
      { field: "id", value: row.id },
      { field: "usedStep", operator: "lt", value: step },
    ],
    increment: {},
    set: { usedStep: step },
  });
  return claimed !== null;
}

/** Like `claimTotpCode`, for a recovery code, which is removed. */
export async function claimRecoveryCode(
  context: TotpContext,
  row: TotpRow,
  code: string,
): Promise<boolean> {
  const codes = await readRecoveryCodes(context, row);
  const spelled = spellRecoveryCode(code);
  if (!codes.includes(spelled)) return false;
  const left = codes.filter((each) => each !== spelled);
  const claimed = await context.adapter.incrementOne({
    model: TOTP_MODEL,
    where: [
      { field: "id", value: row.id },
      { field: "backupCodes", value: row.backupCodes },
    ],
    increment: {},
    set: { backupCodes: await encrypt(context, JSON.stringify(left)) },
  });
  return claimed !== null;
}

/**
 * Tries a code within the bound on wrong codes. The attempt is counted before the code is compared, so that concurrent attempts
 * cannot exceed the bound. The columns are those in which the plugin counts the attempts at sign-in.
 */
export async function tryCode(
  { adapter }: TotpContext,
  row: TotpRow,
  now: number,
  isRight: () => Promise<boolean>,
): Promise<CodeOutcome> {
  const where = [{ field: "id", value: row.id }];
  const lockedUntil = row.lockedUntil === null ? 0 : new Date(row.lockedUntil).getTime();
  // A lock that lasts longer was made under a clock that was ahead.
  if (lockedUntil > now && lockedUntil <= now + LOCK_SECONDS * 1_000 + CLOCK_SKEW_MAX_MS)
    return "locked";
  const unlock = { failedVerificationCount: 0, lockedUntil: null };
  if (lockedUntil > 0) await adapter.update({ model: TOTP_MODEL, where, update: unlock });
  const counted = await adapter.incrementOne<TotpRow>({
    model: TOTP_MODEL,
    where,
    increment: { failedVerificationCount: 1 },
  });
  const count = counted?.failedVerificationCount ?? WRONG_CODES_MAX + 1;
  const lock = { lockedUntil: new Date(now + LOCK_SECONDS * 1_000) };
  if (count > WRONG_CODES_MAX) {
    await adapter.update({ model: TOTP_MODEL, where, update: lock });
    return "locked";
  }
  if (await isRight()) {
    await adapter.update({ model: TOTP_MODEL, where, update: unlock });
    return "right";
  }
  if (count === WRONG_CODES_MAX) await adapter.update({ model: TOTP_MODEL, where, update: lock });
  return "wrong";
}

export const totpUri = (secret: string, email: string): string =>
  createOTP(secret).url(ISSUER, email);

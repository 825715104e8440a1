import type { AuthContext } from "better-auth";
import {
  type CodeOutcome,
  claimRecoveryCode,
  claimTotpCode,
  encrypt,
  findTotp,
  newRecoveryCodes,
  newTotpSecret,
  readRecoveryCodes,
  TOTP_MODEL,
  type TotpContext,
  type TotpRow,
  totpUri,
  tryCode,
} from "./totp.ts";

/**
 * The second factors of a user: passkeys and an authenticator app. As soon as a user has one, a sign-in with a password or a
 * provider also asks for it (`users.twoFactorEnabled`), and the user has recovery codes. Without any factor left, both end.
 */
export type Factors = ReturnType<typeof createFactors>;

export type Passkey = {
  id: string;
  userId: string;
  name: string | null;
  credentialID: string;
  createdAt: Date | string | null;
  lastUsedAt: Date | string | null;
};

/** An authenticator app as an app that scans the QR code reads it, and in text for apps that cannot. */
export type TotpSetup = { uri: string; secret: string };

export const PASSKEY_MODEL = "passkey";
export const PASSKEYS_MAX = 20;

type Context = TotpContext &
  Pick<AuthContext, "internalAdapter"> & {
    adapter: Pick<AuthContext["adapter"], "findMany" | "create" | "deleteMany">;
  };

export function createFactors(context: () => Promise<Context>) {
  const ofUser = (user: string) => [{ field: "userId", value: user }];

  const listPasskeys = async (user: string): Promise<Passkey[]> => {
    const { adapter } = await context();
    const found = await adapter.findMany<Passkey>({ model: PASSKEY_MODEL, where: ofUser(user) });
    return found.sort((a, b) => timeOf(a.createdAt) - timeOf(b.createdAt));
  };

  async function update(row: Pick<TotpRow, "id">, values: Partial<TotpRow>): Promise<void> {
    const { adapter } = await context();
    const where = [{ field: "id", value: row.id }];
    await adapter.update({ model: TOTP_MODEL, where, update: values });
  }

  /** The user's row, which is created with no recovery codes. Of two concurrent calls one may throw. */
  async function findOrCreateRow(user: string): Promise<TotpRow> {
    const found = await findTotp(await context(), user);
    if (found !== null) return found;
    const auth = await context();
    const data = {
      userId: user,
      secret: await encrypt(auth, newTotpSecret()),
      backupCodes: await encrypt(auth, "[]"),
      verified: false,
      failedVerificationCount: 0,
      lockedUntil: null,
      usedStep: 0,
    };
    return auth.adapter.create<typeof data, TotpRow>({ model: TOTP_MODEL, data });
  }

  async function storeNewRecoveryCodes(row: TotpRow): Promise<string[]> {
    const codes = newRecoveryCodes();
    await update(row, { backupCodes: await encrypt(await context(), JSON.stringify(codes)) });
    return codes;
  }

  /** Asks for a second factor from now on. Returns new recovery codes, or null if the user has some. */
  async function enable(user: string, row: TotpRow): Promise<string[] | null> {
    const auth = await context();
    const hasCodes = (await readRecoveryCodes(auth, row)).length > 0;
    const codes = hasCodes ? null : await storeNewRecoveryCodes(row);
    await auth.internalAdapter.updateUser(user, { twoFactorEnabled: true });
    return codes;
  }

  /** Stops asking for a second factor, if the user has none. */
  async function disableWithoutFactors(user: string): Promise<void> {
    const auth = await context();
    const row = await findTotp(auth, user);
    if (row?.verified === true || (await listPasskeys(user)).length > 0) return;
    await auth.internalAdapter.updateUser(user, { twoFactorEnabled: false });
    await auth.adapter.deleteMany({ model: TOTP_MODEL, where: ofUser(user) });
  }

  return {
    listPasskeys,
    disableWithoutFactors,

    async show(user: string) {
      const auth = await context();
      const [row, passkeys] = await Promise.all([findTotp(auth, user), listPasskeys(user)]);
      const codes = row === null ? [] : await readRecoveryCodes(auth, row);
      return { passkeys, hasTotp: row?.verified === true, recoveryCodesLeft: codes.length };
    },

    /** Starts setting up an app; null if the user has one. It counts once `confirmTotp` gets one of its codes. */
    async beginTotp(user: { id: string; email: string }): Promise<TotpSetup | null> {
      const row = await findOrCreateRow(user.id);
      if (row.verified) return null;
      const secret = newTotpSecret();
      await update(row, { secret: await encrypt(await context(), secret), usedStep: 0 });
      const uri = totpUri(secret, user.email);
      return { uri, secret: new URL(uri).searchParams.get("secret") ?? "" };
    },

    async confirmTotp(
      user: string,
      code: string,
      now: number,
    ): Promise<{ outcome: CodeOutcome | "not_begun"; recoveryCodes: string[] | null }> {
      const auth = await context();
      const row = await findTotp(auth, user);
      if (row === null || row.verified) return { outcome: "not_begun", recoveryCodes: null };
      const outcome = await tryCode(auth, row, now, () => claimTotpCode(auth, row, code, now));
      if (outcome !== "right") return { outcome, recoveryCodes: null };
      await update(row, { verified: true });
      return { outcome, recoveryCodes: await enable(user, row) };
    },

    async removeTotp(user: string): Promise<{ removed: boolean }> {
      const auth = await context();
      const row = await findTotp(auth, user);
      if (row?.verified !== true) return { removed: false };
      await update(row, { verified: false, secret: await encrypt(auth, newTotpSecret()) });
      await disableWithoutFactors(user);
      return { removed: true };
    },

    passkeyAdded: async (user: string) => enable(user, await findOrCreateRow(user)),

    async renamePasskey(user: string, id: string, name: string): Promise<Passkey | null> {
      const { adapter } = await context();
      const where = [{ field: "id", value: id }, ...ofUser(user)];
      return adapter.update<Passkey>({ model: PASSKEY_MODEL, where, update: { name } });
    },

    /** Replaces all recovery codes; null if the user has no second factor. */
    async replaceRecoveryCodes(user: string): Promise<string[] | null> {
      const row = await findTotp(await context(), user);
      return row === null ? null : storeNewRecoveryCodes(row);
    },

    /** Checks a code of the app or a recovery code, outside of a sign-in. A recovery code is used up. */
    async checkCode(
      user: string,
      { code, kind }: { code: string; kind: "totp" | "recovery" },
      now: number,
    ): Promise<CodeOutcome> {
      const auth = await context();
      const row = await findTotp(auth, user);
      if (row === null || (kind === "totp" && !row.verified)) return "wrong";
      return tryCode(auth, row, now, () =>
        kind === "totp" ? claimTotpCode(auth, row, code, now) : claimRecoveryCode(auth, row, code),
      );
    },

    /** Records that the user confirmed their identity in this session. */
    async markProved(session: string, now: number): Promise<void> {
      const { adapter } = await context();
      const where = [{ field: "id", value: session }];
      await adapter.update({ model: "session", where, update: { provedAt: new Date(now) } });
    },
  };
}

const timeOf = (at: Date | string | null) => (at === null ? 0 : new Date(at).getTime());

import assert from "node:assert/strict";
import { createOTP } from "@better-auth/utils/otp";
import type { FactorAdded, FactorsView, TotpSetupView } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { clock } from "./clock.ts";
import { type FixtureOptions, openFixture, openMember } from "./dashboard-fixture.ts";
import { type Device, openDevice } from "./passkey-device.ts";

/** Passkeys need a domain name and HTTPS. */
export const ORIGIN = "https://toolbooth.example";
export const AUTH = "/dashboard/auth";

export const openSecureFixture = (given: FixtureOptions = {}) =>
  openFixture({ publicUrl: ORIGIN, ...given });

export const TEN_MINUTES = 600_000;
export const STEP = 30_000;

/** The code that an authenticator app shows `steps` later; `secret` as in the QR code. */
export function codeOf({ uri }: TotpSetupView, steps = 0): Promise<string> {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return createOTP(decodeBase32(secret)).hotp(Math.floor(clock.now() / STEP) + steps);
}

export function decodeBase32(text: string): string {
  const bits = [...text]
    .map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 2)));
}

export async function addTotp(browser: Browser) {
  const begun = await browser.post("/dashboard/factors/totp");
  assert.equal(begun.status, 200, begun.text);
  const setup = begun.body as TotpSetupView;
  const code = await codeOf(setup);
  const confirmed = await browser.post("/dashboard/factors/totp/confirm", { code });
  assert.equal(confirmed.status, 201, confirmed.text);
  const { recoveryCodes } = confirmed.body as FactorAdded;
  // The next code is of the next step: each counts once.
  clock.advance(STEP);
  return { setup, recoveryCodes: recoveryCodes ?? [] };
}

export async function addPasskey(browser: Browser, name = "Laptop") {
  const device = openDevice(ORIGIN);
  const options = await browser.post(`${AUTH}/passkey/generate-register-options`);
  assert.equal(options.status, 200, options.text);
  const response = device.create(options.body as { challenge: string });
  const added = await browser.post(`${AUTH}/passkey/verify-registration`, { response, name });
  assert.equal(added.status, 201, added.text);
  const { id, recoveryCodes } = added.body as FactorAdded & { id: string };
  return { device, id, recoveryCodes };
}

export async function usePasskey(
  browser: Browser,
  device: Device,
  given?: Parameters<Device["get"]>[1],
) {
  const options = await browser.post(`${AUTH}/passkey/generate-authenticate-options`);
  assert.equal(options.status, 200, options.text);
  const response = device.get(options.body as { challenge: string }, given);
  return browser.post(`${AUTH}/passkey/verify-authentication`, { response });
}

export const factorsOf = async (browser: Browser) =>
  (await browser.get("/dashboard/factors")).body as FactorsView;

/** Whether the browser is signed in. */
export const isSignedIn = async (browser: Browser) =>
  (await browser.get("/dashboard/home")).status === 200;

export const finishByCode = (browser: Browser, code: string) =>
  browser.post(`${AUTH}/two-factor/verify-totp`, { code });
export const finishByRecoveryCode = (browser: Browser, code: string) =>
  browser.post(`${AUTH}/two-factor/verify-backup-code`, { code });

export { openMember };

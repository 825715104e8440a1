import assert from "node:assert/strict";
import type { PasskeysView } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { type FixtureOptions, openFixture, openMember } from "./dashboard-fixture.ts";
import { type Device, openDevice } from "./passkey-device.ts";

/** Passkeys need a domain name and HTTPS. */
export const ORIGIN = "https://toolbooth.example";
export const AUTH = "/dashboard/auth";

export const openSecureFixture = (given: FixtureOptions = {}) =>
  openFixture({ publicUrl: ORIGIN, ...given });

export const TEN_MINUTES = 600_000;

export async function addPasskey(browser: Browser, name = "Laptop", origin = ORIGIN) {
  const device = openDevice(origin);
  const options = await browser.post(`${AUTH}/passkey/generate-register-options`);
  assert.equal(options.status, 200, options.text);
  const response = device.create(options.body as { challenge: string });
  const added = await browser.post(`${AUTH}/passkey/verify-registration`, { response, name });
  assert.equal(added.status, 201, added.text);
  const { id } = added.body as { id: string };
  return { device, id };
}

export async function requirePasskey(browser: Browser, requiresPasskey = true): Promise<void> {
  const { status, text } = await browser.put("/dashboard/passkeys/required", { requiresPasskey });
  assert.equal(status, 200, text);
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

export const passkeysOf = async (browser: Browser) =>
  (await browser.get("/dashboard/passkeys")).body as PasskeysView;

/** Whether the browser is signed in. */
export const isSignedIn = async (browser: Browser) =>
  (await browser.get("/dashboard/home")).status === 200;

export { openMember };

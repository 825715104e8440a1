import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from "@simplewebauthn/browser";
import type { FactorAdded } from "#api/dashboard/shapes.ts";
import { request } from "./request.ts";

/** The dialogs of the browser for passkeys (WebAuthn), between the two requests of each. */

const PASSKEY = "/dashboard/auth/passkey";

export const supportsAutofill = (): Promise<boolean> => browserSupportsWebAuthnAutofill();

/** Signs in with a passkey. `autofill`: waits until the user chooses one from the suggestions of the email field. */
export async function signInByPasskey(autofill = false): Promise<void> {
  const optionsJSON = await request<PublicKeyCredentialRequestOptionsJSON>(
    "POST",
    `${PASSKEY}/generate-authenticate-options`,
    {},
  );
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: autofill });
  await request("POST", `${PASSKEY}/verify-authentication`, { response });
}

export async function createPasskey(name: string): Promise<FactorAdded> {
  const optionsJSON = await request<PublicKeyCredentialCreationOptionsJSON>(
    "POST",
    `${PASSKEY}/generate-register-options`,
    {},
  );
  const response = await startRegistration({ optionsJSON });
  return request("POST", `${PASSKEY}/verify-registration`, { response, name });
}

export const cancelPasskey = (): void => WebAuthnAbortService.cancelCeremony();

/** The sentence for an error of the browser's dialog; undefined for any other error. */
export function passkeyErrorText(error: unknown): string | undefined {
  if (error instanceof WebAuthnError) {
    if (error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED") {
      return "This device already has a passkey for your account.";
    }
    if (error.code === "ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT") {
      return "This device cannot verify who you are. Use one with a PIN, a fingerprint or a screen lock.";
    }
    return NOT_USED;
  }
  return error instanceof Error && error.name === "NotAllowedError" ? NOT_USED : undefined;
}

const NOT_USED = "The passkey was not used: the dialog was closed, or it took too long. Try again.";

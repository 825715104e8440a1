import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { request } from "./request.ts";

/** The dialogs of the browser for passkeys (WebAuthn), between the two requests of each. */

const PASSKEY = "/dashboard/auth/passkey";

export const supportsAutofill = (): Promise<boolean> => browserSupportsWebAuthnAutofill();

/**
 * Signs in with a passkey. `autofill`: waits until the user chooses one from the suggestions of the email field. `isProof`: only with one of
 * the user who is signed in; otherwise with any, because another user may want to sign in.
 */
export async function signInByPasskey({ autofill = false, isProof = false } = {}): Promise<void> {
  const { allowCredentials = [], ...others } = await request<PublicKeyCredentialRequestOptionsJSON>(
    "POST",
    `${PASSKEY}/generate-authenticate-options`,
    {},
  );
  const optionsJSON = isProof ? { ...others, allowCredentials } : others;
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: autofill });
  await request("POST", `${PASSKEY}/verify-authentication`, { response });
}

export async function createPasskey(name: string): Promise<void> {
  const optionsJSON = await request<PublicKeyCredentialCreationOptionsJSON>(
    "POST",
    `${PASSKEY}/generate-register-options`,
    {},
  );
  const response = await startRegistration({ optionsJSON });
  await request("POST", `${PASSKEY}/verify-registration`, { response, name });
}

export const cancelPasskey = (): void => WebAuthnAbortService.cancelCeremony();

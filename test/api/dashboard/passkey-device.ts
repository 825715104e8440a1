import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/**
 * An authenticator in software: it makes one passkey (ES256, no attestation) and signs challenges with it, as browsers pass them
 * on (WebAuthn level 3). Its answers can be made wrong.
 */
export type Device = ReturnType<typeof openDevice>;

type Answer = { userVerified?: boolean; origin?: string; counter?: number; rpId?: string };

export function openDevice(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  const rpId = new URL(origin).hostname;
  let uses = 0;
  const clientData = (type: string, challenge: string, at: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }));

  function authenticatorData(given: Answer, attested: Uint8Array = new Uint8Array()): Buffer {
    const { userVerified = true, counter = uses } = given;
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const host = createHash("sha256")
      .update(given.rpId ?? rpId)
      .digest();
    return Buffer.concat([host, Buffer.from([flags]), count, attested]);
  }
  const responseOf = (response: object) => ({
    ...{ id: base64Url(id), rawId: base64Url(id), type: "public-key" },
    ...{ clientExtensionResults: {}, response },
  });

  return {
    id: base64Url(id),
    /** The response to the options of a registration. */
    create({ challenge }: { challenge: string }, given: Answer = {}) {
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, "base64url"),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, "base64url"),
      ]);
      const length = Buffer.from([0, id.length]);
      const data = authenticatorData(given, Buffer.concat([Buffer.alloc(16), length, id, key]));
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText("fmt"), cborText("none"), cborText("attStmt"), Buffer.from([0xa0])],
        ...[cborText("authData"), Buffer.from([0x58, data.length]), data],
      ]);
      return responseOf({
        clientDataJSON: base64Url(clientData("webauthn.create", challenge, given.origin ?? origin)),
        attestationObject: base64Url(attestation),
        transports: ["internal"],
      });
    },
    /** The response to the options of a sign-in. */
    get({ challenge }: { challenge: string }, given: Answer = {}) {
      uses += 1;
      const data = authenticatorData(given);
      const client = clientData("webauthn.get", challenge, given.origin ?? origin);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return responseOf({
        clientDataJSON: base64Url(client),
        authenticatorData: base64Url(data),
        signature: base64Url(sign("sha256", signed, privateKey)),
      });
    },
  };
}

const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const cborText = (text: string) =>
  Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);

import { createHash, randomUUID } from "node:crypto";

/** The tools of the usual builds that need no library, with the responses of Toolbooth. Input is what the requests of the benchmark use. */
export const hashText = ({ text, algorithm }: { text: string; algorithm: string }) => {
  const hash = createHash(algorithm).update(text).digest("hex");
  return { ok: true, algorithm: algorithm.toUpperCase(), hash, length: hash.length };
};

export const generateUuids = ({ count, uppercase }: { count: number; uppercase: boolean }) => {
  const uuids = Array.from({ length: count }, () => randomUUID() as string);
  return {
    ok: true,
    count,
    uppercase,
    uuids: uppercase ? uuids.map((uuid) => uuid.toUpperCase()) : uuids,
  };
};

export const echo = (body: unknown) => ({ ok: true, receivedAt: new Date().toISOString(), body });

export type QrInput = { text: string; format: "png" | "svg"; width: number };

export const qrResult = ({ format, width }: QrInput, output: string) => ({
  ok: true,
  format,
  errorCorrectionLevel: "M",
  width,
  mimeType: format === "png" ? "image/png" : "image/svg+xml",
  output,
});

/** The key of `Authorization: Bearer`. */
export const bearerKey = (authorization: string | undefined): string =>
  /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1] ?? "";

export const ERROR_STATUS = { unknown_key: 401, no_credits: 402 } as const;

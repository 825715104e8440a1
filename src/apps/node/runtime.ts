import { hash, randomBytes } from "node:crypto";
import packageJson from "../../../package.json" with { type: "json" };

/** Apart from `platform.ts`, so that the command line does not load the tools to get random bytes. */

export const version: string = packageJson.version;

export const random = (count: number) => new Uint8Array(randomBytes(count));
export const digest = (algorithm: string, bytes: Uint8Array) => hash(algorithm, bytes, "buffer");
export const hashKey = (key: string) => hash("sha256", key);

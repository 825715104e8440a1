import * as z from "zod";
import { accountOfKeyId, isAccountId, parseCallRef } from "#ids.ts";
import { EMAIL_CHARS_MAX, GRANT_CREDITS_MAX } from "#limits.ts";

/** Schemas of members of inputs and outcomes. */
export const account = z.string().refine(isAccountId);
export const keyId = z.string().refine((id) => accountOfKeyId(id) !== undefined);
/** As `callRef` writes it. */
export const callId = z.string().refine((id) => parseCallRef(id) !== null);
export const email = z
  .string()
  .min(1)
  .max(2 * EMAIL_CHARS_MAX);
export const time = z.int().min(0);
export const count = z.int().min(0);
export const credits = z.int().min(1).max(GRANT_CREDITS_MAX);
export const pageMax = z.int().min(1).max(1_000);
export const cursor = z.string().max(EMAIL_CHARS_MAX).nullable();

import type { TrustedTypePolicyFactory } from "trusted-types/lib";

/**
 * The policies of Trusted Types, which the pages' Content-Security-Policy requires: without one, the browser lets no text
 * become markup or the URL of a script. Imported first, because a policy must exist before anything needs it. A browser
 * without Trusted Types has no `trustedTypes` and ignores that part of the Content-Security-Policy.
 */
const factory = (globalThis as { trustedTypes?: TrustedTypePolicyFactory }).trustedTypes;

// The name `default` makes the browser ask this policy about every text. Mantine fills its style elements as if CSS were
// markup, so text without a tag passes. Workers are scripts of this service.
factory?.createPolicy("default", {
  createHTML(text) {
    if (!text.includes("<")) return text;
    throw new TypeError("A text must not become markup");
  },
  createScriptURL(url) {
    if (new URL(url, location.href).origin === location.origin) return url;
    throw new TypeError("Scripts must come from this service");
  },
});

const preview = factory?.createPolicy("tb-preview", { createHTML: (html) => html });

/** Marks markup that never becomes part of the page: it is parsed into a document without scripts, or shown in a sandbox. */
export const inertMarkup = (html: string): string =>
  // The types of the DOM know only texts.
  preview === undefined ? html : (preview.createHTML(html) as unknown as string);

import type { LegalSources } from "./legal-sources.ts";
import { type Html, html, raw } from "./markup.ts";
import { basePath, pageLinks } from "./page-links.ts";
import type { AppOptions, SignInOffer } from "./page-options.ts";
import { signUpLead } from "./sign-up-lead.ts";

export type SignInForm = "sign-up" | "sign-in";

/**
 * The form of the sign-up or the sign-in as React renders it (`web/sign-in/`), so that it is there with the page. What is typed
 * into it before React takes it over is kept (`web/sign-in/drawn-form.ts`). test/web/header.test.ts compares the two.
 */
export function renderSignInForm(form: SignInForm, options: AppOptions): Html {
  const { dashboard: offer, legal = {}, publicUrl } = options;
  const links = pageLinks(publicUrl);
  const isSignUp = form === "sign-up";
  const title = isSignUp ? "Sign up" : "Sign in";
  return html`<div class="tb-sign-in"><div class="tb-page-title"><h1>${title}</h1></div>
${isSignUp && html`<div class="tb-lead tb-break">${signUpLead(offer)}</div>\n`}${renderProviders(offer)}<form method="post" data-drawn novalidate>
<div class="tb-field"><label for="email">Email address</label><div class="tb-field-box"><input id="email" name="email" type="email" autocomplete="${isSignUp ? "email" : "email webauthn"}" inputmode="email" autocapitalize="none" spellcheck="false"></div></div>
<div class="tb-field"><label for="password">Password</label>${isSignUp && html`<p class="tb-field-hint" id="password-hint">${NEW_PASSWORD_HINT}</p>`}<div class="tb-field-box" data-toggle><input id="password" name="password" type="password" autocomplete="${isSignUp ? "new-password" : "current-password"}"></div></div>
<div><button type="submit" class="tb-submit">${title}</button></div>
</form>
<div class="tb-sign-in-foot">${
    isSignUp
      ? html`${agreement(legal, publicUrl)}<p>Already have an account? <a href="${links.signIn}">Sign in</a></p>`
      : html`<p><a href="${links.signIn.replace(/sign-in$/, "forgot-password")}">Forgot password?</a></p>${
          offer.signUp === "open" && html`<p>New here? <a href="${links.signUp}">Sign up</a></p>`
        }`
  }</div></div>
<noscript><style>${raw(".tb-sign-in form,.tb-providers,.tb-or{display:none}")}</style></noscript>`;
}

/** As `AgreementLine` of `web/parts/legal-links.tsx`. */
function agreement({ terms, privacy }: LegalSources, publicUrl: string): Html | false {
  const link = (name: string, label: string) =>
    html`<a href="${basePath(publicUrl)}/${name}">${label}</a>`;
  const policy = link("privacy", "privacy policy");
  if (terms !== undefined) {
    return html`<p>By signing up you agree to the ${link("terms", "terms")}${
      privacy !== undefined && html` and have read the ${policy}`
    }.</p>`;
  }
  return privacy !== undefined && html`<p>Our ${policy} says what happens to your data.</p>`;
}

const NAMES = { github: "GitHub", google: "Google" };

/** They work when React has taken over, and look the same before. */
const renderProviders = ({ providers }: SignInOffer): Html | false =>
  providers.length > 0 &&
  html`<div class="tb-providers">${providers.map(
    (provider) =>
      html`<button type="button" class="tb-quiet" data-provider="${provider}">Continue with ${NAMES[provider]}</button>`,
  )}</div>
<div class="tb-or">or</div>
`;

/** As in `web/sign-in/field-checks.ts`. */
const NEW_PASSWORD_HINT = "At least 10 characters, such as 3 words.";

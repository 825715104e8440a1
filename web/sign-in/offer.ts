import type { SignInOffer } from "#site/page-options.ts";
import { useVisitor } from "../queries.ts";

const NOTHING: SignInOffer = {
  signUp: "open",
  providers: [],
  starter: { credits: 0, days: 0 },
};

/**
 * How people can sign up and in here. The server writes it into the page, so that the form stands at once and nothing moves when
 * the visitor is known.
 */
export function useOffer(): SignInOffer {
  return useVisitor().data ?? offerInPage();
}

function offerInPage(): SignInOffer {
  const tag = document.querySelector<HTMLMetaElement>('meta[name="toolbooth-offer"]');
  if (tag === null) return NOTHING;
  const { signUp, providers, starter }: SignInOffer = JSON.parse(tag.content);
  return { signUp, providers, starter };
}

import { absoluteUrl } from "../addresses.ts";
import { service } from "../page-facts.ts";

/** The operator's own pages. */
const legalNames = (): readonly string[] => service().legal;

/** What a user agrees to by an action, such as "signing up"; nothing where the operator published neither page. */
export function AgreementText({ by }: { by: string }) {
  const names = legalNames();
  const terms = names.includes("terms") && <a href={absoluteUrl("/terms")}>terms</a>;
  const privacy = names.includes("privacy") && <a href={absoluteUrl("/privacy")}>privacy policy</a>;
  if (terms) {
    return (
      <>
        By {by} you agree to the {terms}
        {privacy && <> and have read the {privacy}</>}.
      </>
    );
  }
  return privacy && <>Our {privacy} says what happens to your data.</>;
}

/** The same as a paragraph of its own. */
export const AgreementLine = ({ by }: { by: string }) =>
  legalNames().some((name) => name === "terms" || name === "privacy") ? (
    <p>
      <AgreementText by={by} />
    </p>
  ) : null;

/** A link to the operator's rules of refunds; null where there are none. */
export const RefundsLink = () =>
  legalNames().includes("refunds") ? <a href={absoluteUrl("/refunds")}>Refunds</a> : null;

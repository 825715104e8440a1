/** What stands above the form of the sign-up. The server and React render the same. */
export const signUpLead = ({ signUp, starter }: SignUpOffer): string =>
  signUp === "closed" ? CLOSED : leadOf(starter);

type SignUpOffer = {
  signUp: "open" | "closed";
  starter: { credits: number; days: number };
};

const leadOf = ({ credits, days }: SignUpOffer["starter"]): string =>
  credits === 0
    ? "Your first call is free."
    : `Your first call is free, and you get ${credits} credits for ${days} days.`;

/** Users whose account was created by the operator set their password through the same form. */
const CLOSED =
  "The operator of this service creates the accounts. If you have one, enter its email address and choose a password, and we will send you an email to confirm it. If not, ask the operator for an account.";

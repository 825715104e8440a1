import type { UserView, Visitor } from "#api/dashboard/shapes.ts";
import { contactHref } from "#top-up.ts";
import { explain } from "../parts/message.tsx";
import { useSendVerification } from "../sign-in/requests.ts";
import { SendAgain } from "../sign-in/send-again.tsx";

/** Warnings about the account, above every page: suspended, or not confirmed. */
export function AccountBanners({ visitor, user }: { visitor: Visitor; user: UserView }) {
  return (
    <>
      {user.account?.state === "suspended" && (
        <p className="tb-banner tb-banner-bad" role="status">
          <strong>Your account is suspended.</strong> API calls with your keys are rejected. You
          keep your keys and credits. <Contact contact={visitor.sales.contact} />
        </p>
      )}
      {!user.verified && <Unverified visitor={visitor} email={user.email} />}
    </>
  );
}

const Contact = ({ contact }: { contact: string | null }) =>
  contact === null ? (
    "Contact the operator of this service."
  ) : (
    <>
      Contact the operator: <a href={contactHref(contact)}>{contact}</a>.
    </>
  );

function Unverified({ visitor, email }: { visitor: Visitor; email: string }) {
  const send = useSendVerification();
  return (
    <div className="tb-banner tb-banner-warn" role="status">
      <p>
        <strong>Confirm your email address.</strong> Open the link in the email that we sent to{" "}
        {email}. You can then create API keys
        {visitor.starter.credits > 0 &&
          `, and you get ${visitor.starter.credits} credits that are valid for ${visitor.starter.days} days`}
        .
      </p>
      <SendAgain
        pending={send.isPending}
        onSend={() => send.mutateAsync(email)}
        sentAlready={false}
      />
      {send.isError && <p>{explain(send.error).detail}</p>}
    </div>
  );
}

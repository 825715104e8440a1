import type { PersonView, Visitor } from "#api/dashboard/shapes.ts";
import { explain } from "../parts/failure.tsx";
import { useSendVerification } from "../sign-in/requests.ts";
import { SendAgain } from "../sign-in/send-again.tsx";

/** What a person must know about the account before anything else. */
export function AccountBanners({ visitor, person }: { visitor: Visitor; person: PersonView }) {
  return (
    <>
      {person.account?.state === "suspended" && (
        <p className="tb-banner tb-banner-bad" role="status">
          <strong>Your account is suspended.</strong> Calls with its keys are refused. Keys and
          credits are kept. Ask the operator of this service.
        </p>
      )}
      {!person.verified && <Unverified visitor={visitor} email={person.email} />}
    </>
  );
}

function Unverified({ visitor, email }: { visitor: Visitor; email: string }) {
  const send = useSendVerification();
  return (
    <div className="tb-banner tb-banner-warn" role="status">
      <p>
        <strong>Confirm your e-mail address.</strong> Open the link in the letter to {email}. Then
        you can make keys
        {visitor.starter.credits > 0 &&
          ` and get ${visitor.starter.credits} credits for ${visitor.starter.days} days`}
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

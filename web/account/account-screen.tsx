import { Text } from "@mantine/core";
import type { PersonView, Visitor } from "#api/dashboard/shapes.ts";
import { LoadingRows } from "../parts/loading.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useVisitor } from "../queries.ts";
import "./account.css";
import { ActivityList } from "./activity-list.tsx";
import { CloseAccount } from "./close-account.tsx";
import { EmailForm } from "./email-form.tsx";
import { PasswordPart } from "./password-part.tsx";
import { providerName } from "./provider-names.ts";
import { SessionList } from "./session-list.tsx";

export default function AccountScreen() {
  const visitor = useVisitor().data;
  const person = visitor?.person ?? null;
  return (
    <>
      <PageTitle title="Account" />
      {visitor === undefined || person === null ? (
        <LoadingRows />
      ) : (
        <AccountParts visitor={visitor} person={person} />
      )}
    </>
  );
}

function AccountParts({ visitor, person }: { visitor: Visitor; person: PersonView }) {
  return (
    <>
      <Text c="dimmed">
        <span className="tb-address">{person.email}</span>, since <Time at={person.createdAt} />
      </Text>
      <Section
        title="E-mail address"
        description="You sign in with it, and letters about your account go there."
      >
        <EmailForm email={person.email} />
      </Section>
      <PasswordPart person={person} />
      {(visitor.providers.length > 0 || person.providers.length > 0) && (
        <SignIns visitor={visitor} person={person} />
      )}
      <SessionList />
      <ActivityList />
      <CloseAccount person={person} />
    </>
  );
}

function SignIns({ visitor, person }: { visitor: Visitor; person: PersonView }) {
  const known = new Set([...person.providers, ...visitor.providers]);
  return (
    <Section
      title="Linked sign-ins"
      description="To link one, sign out and sign in with it once: it is linked where its verified e-mail address is the same as yours here."
    >
      <dl className="tb-account-facts">
        {[...known].map((provider) => (
          <div key={provider}>
            <dt>{providerName(provider)}</dt>
            <dd>
              {person.providers.includes(provider) ? (
                <State shape="check" tone="ok">
                  Linked
                </State>
              ) : (
                <State shape="empty" tone="soft">
                  Not linked
                </State>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

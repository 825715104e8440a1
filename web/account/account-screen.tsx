import { Text } from "@mantine/core";
import type { UserView, Visitor } from "#api/dashboard/shapes.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { Fact, Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useVisitor } from "../queries.ts";
import { providerName } from "../sign-in/providers.tsx";
import "./account.css";
import { ActivityList } from "./activity-list.tsx";
import { CloseAccount } from "./close-account.tsx";
import { EmailForm } from "./email-form.tsx";
import { ExportSection } from "./export-section.tsx";
import { PasskeySection } from "./passkey-section.tsx";
import { SessionList } from "./session-list.tsx";

export default function AccountScreen() {
  const visitor = useVisitor().data;
  const user = visitor?.user ?? null;
  return (
    <>
      <PageTitle title="Account" />
      {visitor === undefined || user === null ? (
        <LoadingRows />
      ) : (
        <AccountSections visitor={visitor} user={user} />
      )}
    </>
  );
}

function AccountSections({ visitor, user }: { visitor: Visitor; user: UserView }) {
  return (
    <div className="tb-account">
      <Text c="dimmed">
        <span className="tb-break">{user.email}</span>, account created <Time at={user.createdAt} />
      </Text>
      <Section
        beside
        title="Email address"
        description="We email sign-in codes and security alerts to this address."
      >
        <EmailForm email={user.email} />
      </Section>
      <PasskeySection visitor={visitor} />
      {(visitor.providers.length > 0 || user.providers.length > 0) && (
        <LinkedSignIns visitor={visitor} user={user} />
      )}
      <SessionList />
      <ActivityList />
      <ExportSection />
      <CloseAccount user={user} />
    </div>
  );
}

function LinkedSignIns({ visitor, user }: { visitor: Visitor; user: UserView }) {
  const providers = new Set([...user.providers, ...visitor.providers]);
  return (
    <Section
      beside
      title="Linked sign-ins"
      description="To link a provider, sign out, then sign in with it once. It is linked if its verified email address is the same as yours here."
    >
      <dl className="tb-account-facts">
        {[...providers].map((provider) => (
          <Fact key={provider} name={providerName(provider)}>
            {user.providers.includes(provider) ? (
              <State shape="check" tone="ok" title="Linked" />
            ) : (
              <State shape="empty" tone="soft" title="Not linked" />
            )}
          </Fact>
        ))}
      </dl>
    </Section>
  );
}

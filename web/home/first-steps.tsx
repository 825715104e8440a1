import { Box, Button, Group, Text, Title } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import type { HomeView, KeyView, Visitor } from "#api/dashboard/shapes.ts";
import { screenOf } from "../frame/screen-of.ts";
import type { FirstKeyDialogProps } from "../keys/first-key-dialog.tsx";
import { findUnusedKey } from "../keys/reveal-key.ts";
import { useKeys } from "../member-queries.ts";
import { browserTools, service } from "../page-facts.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import { LanguageTabs, useLanguage } from "../parts/language-tabs.tsx";
import { Section } from "../parts/section.tsx";
import { useFirstCall } from "./first-call.ts";
import { FirstCallStatus, NextStep } from "./first-call-status.tsx";
import { exportCode, sampleCall } from "./sample-call.ts";
import { hasCalled } from "./suggestions.ts";

const FirstKeyDialog = screenOf<FirstKeyDialogProps>(() => import("../keys/first-key-dialog.tsx"));

/** Whether an account is shown its first steps: it has no key, or has made no call. */
export const needsFirstSteps = (view: HomeView): boolean => view.keys === 0 || !hasCalled(view);

/**
 * The steps to the first call. Place it where `needsFirstSteps` was true when the page was opened: it stays until the user leaves the
 * page, and turns into the success.
 */
export function FirstSteps({ view, visitor }: { view: HomeView; visitor: Visitor }) {
  const { apiUrl } = visitor;
  const [hadKey] = useState(view.keys > 0);
  const [hadNone] = useState(!hasCalled(view));
  const [wasFree] = useState(view.freeCall);
  const [language, setLanguage] = useLanguage();
  const isLinked = useRouterState({ select: ({ location }) => location.hash === "first-key" });
  /** The key that gets a new secret, null for a new one; undefined while the dialog is closed. A new account opens it by itself. */
  const [dialog, setDialog] = useState<KeyView | null | undefined>(() =>
    isLinked && !hadKey ? null : undefined,
  );
  const hasKey = view.keys > 0;
  const call = useFirstCall({ isActive: hasKey, hasLog: visitor.requestLog, hadNone });
  useEffect(() => void (hadKey || FirstKeyDialog.preload()), [hadKey]);
  return (
    <>
      {call.success === null ? (
        <Section title="Get started">
          <ol className="tb-steps">
            <KeyStep hasKey={hasKey} onReveal={setDialog} />
            <Step number={2} title="Make your first call" state={hasKey ? "current" : "later"}>
              {wasFree && "Your first successful call is free."}
              {hasKey && (
                <div className="tb-step-call">
                  <CodeBlock code={exportCode(null, service())} label="Set your API key" />
                  <LanguageTabs
                    call={sampleCall(apiUrl, null, service())}
                    language={language}
                    onLanguage={setLanguage}
                  />
                  <FirstCallStatus call={call} wasFree={wasFree} />
                </div>
              )}
            </Step>
          </ol>
          {browserTools().length > 0 && (
            <Text size="sm" c="dimmed">
              You can <Link to="/tools">try the tools in the browser</Link> without a key.
            </Text>
          )}
        </Section>
      ) : (
        <Section title="You are set up">
          <FirstCallStatus call={call} wasFree={wasFree} />
          <Box mt="md">
            <NextStep />
          </Box>
        </Section>
      )}
      {dialog !== undefined && (
        <Suspense>
          <FirstKeyDialog
            apiUrl={apiUrl}
            replaced={dialog}
            call={call}
            freeCall={wasFree}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

function KeyStep(props: { hasKey: boolean; onReveal: (replaced: KeyView | null) => void }) {
  const { hasKey, onReveal } = props;
  return (
    <Step number={1} title="Reveal your API key" state={hasKey ? "done" : "current"}>
      {hasKey ? (
        <UnusedKey onReveal={onReveal} />
      ) : (
        <>
          The key is shown once. Have a safe place ready to store it.
          <div>
            <Button mt="sm" onClick={() => onReveal(null)}>
              Reveal your first key
            </Button>
          </div>
        </>
      )}
    </Step>
  );
}

/** A key that was never used may be one whose secret was lost, for example with the response that had it. */
function UnusedKey({ onReveal }: { onReveal: (replaced: KeyView) => void }) {
  const key = findUnusedKey(useKeys().data?.keys ?? []);
  if (key === null) {
    return <Link to="/settings/api-keys">Manage API keys</Link>;
  }
  return (
    <>
      <strong>{key.label}</strong> (<code>{key.start}…</code>) has not been used yet. If you did not
      store its secret, get a new one.
      <Group gap="lg" mt="xs">
        <Button variant="default" size="xs" onClick={() => onReveal(key)}>
          Reveal a new secret
        </Button>
        <Link to="/settings/api-keys">Manage API keys</Link>
      </Group>
    </>
  );
}

function Step(props: {
  number: number;
  title: string;
  state: "done" | "current" | "later";
  children: ReactNode;
}) {
  const { state } = props;
  return (
    <li data-done={state === "done"} aria-current={state === "current" ? "step" : undefined}>
      <span className="tb-step-number" aria-hidden="true">
        {state === "done" ? <Icon name="check" /> : props.number}
      </span>
      <div className="tb-step-body">
        <Title order={3}>{props.title}</Title>
        <Text component="div" c="dimmed" mt={2}>
          {props.children}
        </Text>
      </div>
    </li>
  );
}

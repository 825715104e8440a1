import { Button, Text } from "@mantine/core";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { KEYS_PER_ACCOUNT_MAX } from "#limits.ts";
import { screenOf } from "../frame/screen-of.ts";
import { useKeys } from "../member-queries.ts";
import { Empty } from "../parts/empty-state.tsx";
import { Message } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useDialog } from "../parts/use-dialog.tsx";
import { useVisitor } from "../queries.ts";
import type { KeyDialogName } from "./key-dialog.tsx";
import { ActiveKeys, RevokedKeys } from "./key-list.tsx";
import "./keys.css";
import { isSuspended } from "./restriction.tsx";

const KeyDialog = screenOf(() => import("./key-dialog.tsx"));

export default function KeysScreen() {
  const keys = useKeys();
  const mayCreate = !isSuspended(useVisitor().data?.user);
  const { show, status, dialog } = useDialog(KeyDialog);
  const active = (keys.data?.keys ?? []).filter(({ revokedAt }) => revokedAt === null);
  const isFull = active.length >= KEYS_PER_ACCOUNT_MAX;
  const bounds = keys.data?.bounds;
  const create = () => bounds !== undefined && show({ dialog: "create", bounds });
  useCreateFromLink(bounds !== undefined && mayCreate && !isFull, create);
  return (
    <>
      <PageTitle title="API keys">
        {mayCreate && active.length > 0 && (
          <Button onClick={create} disabled={isFull}>
            Create key
          </Button>
        )}
      </PageTitle>
      <Text c="dimmed" maw="44rem" mb="lg">
        An API key authenticates your calls and uses the credits of your account. Create one for
        each environment, keep it out of source code, and revoke keys that you no longer use.
      </Text>
      {status}
      <div className="tb-keys">
        <QueryResult query={keys} loading={<LoadingRows rows={4} height={56} />}>
          {(data) => (
            <>
              {isFull && (
                <Message
                  tone="warn"
                  title={`You have reached the limit of ${KEYS_PER_ACCOUNT_MAX} keys.`}
                >
                  To create another key, revoke one that you no longer use.
                </Message>
              )}
              <KeyLists
                keys={data.keys}
                onCreate={mayCreate ? create : null}
                onOpen={(dialog, key) => show({ dialog, key, bounds: data.bounds })}
              />
            </>
          )}
        </QueryResult>
      </div>
      {dialog}
    </>
  );
}

function KeyLists(props: {
  keys: KeyView[];
  /** Null where the account is suspended. */
  onCreate: (() => void) | null;
  onOpen: (dialog: KeyDialogName, key: KeyView) => void;
}) {
  const { onCreate } = props;
  const active = props.keys.filter(({ revokedAt }) => revokedAt === null);
  const revoked = props.keys.filter(({ revokedAt }) => revokedAt !== null);
  return (
    <>
      {active.length > 0 ? (
        <ActiveKeys keys={active} onOpen={props.onOpen} />
      ) : (
        <Empty
          icon="keys"
          title={revoked.length > 0 ? "No active API keys" : "No API keys yet"}
          action={onCreate !== null && <Button onClick={onCreate}>Create key</Button>}
        >
          {revoked.length > 0
            ? "All your keys are revoked. Create a new one to call the API again."
            : "Create a key to make your first call."}
        </Empty>
      )}
      <RevokedKeys keys={revoked} />
    </>
  );
}

/** The link `/settings/api-keys#create` opens the dialog: the search of the header offers it. */
function useCreateFromLink(mayCreate: boolean, create: () => void) {
  const isLinked = useRouterState({ select: ({ location }) => location.hash === "create" });
  const navigate = useNavigate();
  const open = useEffectEvent(() => {
    create();
    void navigate({ to: "/settings/api-keys", replace: true });
  });
  useEffect(() => {
    if (isLinked && mayCreate) open();
  }, [isLinked, mayCreate]);
}

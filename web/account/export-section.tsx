import { base } from "../addresses.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { Section } from "../parts/section.tsx";
import { useSend } from "../queries.ts";
import { request } from "../request.ts";

/**
 * Downloads of everything that is stored about the user. The browser saves them without holding them in memory. The request
 * before asks for a fresh proof if that is needed, which a download cannot.
 */
export function ExportSection() {
  const start = useSend({
    mutationFn: async (path: string) => {
      await request("GET", "/dashboard/account/export/ready");
      return path;
    },
    onSuccess: (path) => window.location.assign(base() + path),
  });
  const button = (path: string, label: string) => (
    <BusyButton
      variant="default"
      busy={start.isPending && start.variables === path}
      busyLabel="Preparing"
      onClick={() => start.mutate(path)}
    >
      {label}
    </BusyButton>
  );
  return (
    <Section
      beside
      title="Your data"
      description="Download what we store about you as JSON: profile, sign-ins, sessions, keys, credits, purchases, webhook endpoints, usage by hour and activity. The ledger entries are a separate file with one entry per line, because there can be millions. We email you when someone downloads your data."
    >
      <div className="tb-account-actions">
        {button("/dashboard/account/export", "Export your data")}
        {button("/dashboard/account/export/entries", "Export ledger entries")}
      </div>
      {start.isError && <Failure error={start.error} />}
    </Section>
  );
}

import { Button } from "@mantine/core";
import type { Provider } from "#api/dashboard/shapes.ts";
import { Failure } from "../parts/message.tsx";
import { useSocialSignIn } from "./requests.ts";
import "./providers.css";

const NAMES: Record<string, string> = { github: "GitHub", google: "Google" } satisfies Record<
  Provider,
  string
>;

/** The display name of a provider; accounts may be linked to one that the operator has since removed. */
export const providerName = (provider: string): string => NAMES[provider] ?? provider;

/** Buttons for the sign-in providers that the operator has configured. */
export function Providers({ providers, next }: { providers: readonly Provider[]; next: string }) {
  const signIn = useSocialSignIn();
  if (providers.length === 0) return null;
  return (
    <div className="tb-providers">
      {providers.map((provider) => (
        <Button
          key={provider}
          variant="default"
          size="md"
          data-provider={provider}
          aria-busy={signIn.isPending}
          onClick={() => signIn.mutate({ provider, next })}
        >
          Continue with {providerName(provider)}
        </Button>
      ))}
      {signIn.isError && <Failure error={signIn.error} />}
    </div>
  );
}

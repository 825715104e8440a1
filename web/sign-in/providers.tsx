import { Text } from "@mantine/core";
import type { Provider } from "#api/dashboard/shapes.ts";
import { explain } from "../parts/message.tsx";
import { useOffer } from "./offer.ts";
import { useSocialSignIn } from "./requests.ts";
import "./providers.css";

const NAMES: Record<string, string> = { github: "GitHub", google: "Google" } satisfies Record<
  Provider,
  string
>;

/** The display name of a provider; accounts may be linked to one that the operator has since removed. */
export const providerName = (provider: string): string => NAMES[provider] ?? provider;

/** Buttons for the sign-in providers that the operator has configured. */
export function Providers({ next }: { next: string }) {
  const providers = useOffer().providers;
  const signIn = useSocialSignIn();
  if (providers.length === 0) return null;
  return (
    <>
      <div className="tb-providers">
        {providers.map((provider) => (
          <button
            key={provider}
            type="button"
            className="tb-quiet"
            data-provider={provider}
            aria-busy={signIn.isPending}
            onClick={() => !signIn.isPending && signIn.mutate({ provider, next })}
          >
            Continue with {providerName(provider)}
          </button>
        ))}
        {signIn.isError && (
          <Text role="alert" c="red" size="sm">
            {explain(signIn.error).detail}
          </Text>
        )}
      </div>
      <div className="tb-or">or</div>
    </>
  );
}

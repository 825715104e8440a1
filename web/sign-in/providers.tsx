import { Button, Text } from "@mantine/core";
import type { Provider } from "#api/dashboard/shapes.ts";
import { explain } from "../parts/failure.tsx";
import { useVisitor } from "../queries.ts";
import { useSocialSignIn } from "./requests.ts";

const NAMES: Record<Provider, string> = { github: "GitHub", google: "Google" };

/** Ways to sign in through someone else, where the operator has set them up. */
export function Providers({ next }: { next: string }) {
  const providers = useVisitor().data?.providers ?? [];
  const signIn = useSocialSignIn();
  if (providers.length === 0) return null;
  return (
    <>
      <div className="tb-providers">
        {providers.map((provider) => (
          <Button
            key={provider}
            variant="default"
            size="md"
            fullWidth
            aria-busy={signIn.isPending}
            onClick={() => !signIn.isPending && signIn.mutate({ provider, next })}
          >
            Continue with {NAMES[provider]}
          </Button>
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

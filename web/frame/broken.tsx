import { Failure } from "../parts/failure.tsx";

/** A screen that failed, or whose file could not be fetched: a newer version may have taken its place. */
export function Broken({ error }: { error: unknown }) {
  return <Failure error={error} onRetry={() => location.reload()} />;
}

import { Button, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { Offline, ProblemDetails } from "../request.ts";
import { Empty } from "./empty.tsx";
import { Failure } from "./failure.tsx";
import { LoadingBlock } from "./loading.tsx";
import "./records.css";
import { Time } from "./time.tsx";

/** A part of a screen under a heading of its own; `side` stands beside the heading. */
export function Section(props: {
  title: string;
  description?: ReactNode;
  side?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="tb-section" aria-labelledby={id}>
      <div className="tb-section-head">
        <div>
          <Title order={2} id={id}>
            {props.title}
          </Title>
          {props.description !== undefined && (
            <Text c="dimmed" size="sm" mt={4} maw="44rem">
              {props.description}
            </Text>
          )}
        </div>
        {props.side}
      </div>
      {props.children}
    </section>
  );
}

/** What a query of TanStack's tells; only what is shown here. */
type Query<Data> = {
  data: Data | undefined;
  error: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
};

/**
 * A query as a person sees it: a block of the coming height, the failure with a way to try again, or the data. Data
 * that could not be asked for again stays, and is marked with the moment it was true.
 */
export function ApiResponse<Data>(props: {
  query: Query<Data>;
  height?: number;
  loading?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, dataUpdatedAt, refetch } = props.query;
  const again = () => void refetch();
  if (data === undefined) {
    // The frame tells how to go on; here is only nothing to see.
    if (error instanceof ProblemDetails && error.code === "email_not_verified") {
      return <Empty title="Nothing here yet">Confirm your e-mail address first.</Empty>;
    }
    if (error !== null) return <Failure error={error} onRetry={again} />;
    return props.loading ?? <LoadingBlock height={props.height ?? 160} />;
  }
  return (
    <>
      {error !== null && (
        <div className="tb-stale" role="status">
          <span>
            {error instanceof Offline
              ? "The service cannot be reached."
              : "This may be out of date."}{" "}
            Shown as of <Time at={dataUpdatedAt} />.
          </span>
          <Button size="compact-sm" variant="default" onClick={again}>
            Try again
          </Button>
        </div>
      )}
      {props.children(data)}
    </>
  );
}

import { Button, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { RequestsView, RequestView } from "#api/dashboard/shapes.ts";
import { ERRORS } from "#errors.ts";
import { ERROR_TEXTS } from "#site/docs/error-texts.ts";
import { absoluteUrl, base } from "../addresses.ts";
import { service } from "../page-facts.ts";
import { CodeBlock, CopyButton } from "../parts/code-block.tsx";
import { Prose } from "../parts/prose.tsx";
import { Fact } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useVisitor } from "../queries.ts";
import { knownCode, type Search } from "./filters.ts";
import {
  chargeText,
  duration,
  exactTime,
  latencyParts,
  localTime,
  repeatCode,
  size,
  statusLook,
} from "./request-text.ts";

/** Everything that the log has of a request, beside the list. */
export default function RequestPanel(props: {
  request: RequestView;
  requests: RequestView[];
  keys: Map<string, RequestsView["keys"][number]>;
  onOpen: (request: RequestView) => void;
  onChoose: (change: Search) => void;
  onClose: () => void;
}) {
  const { request, requests, onOpen } = props;
  const at = requests.findIndex(({ cursor }) => cursor === request.cursor);
  const [newer, older] = [requests[at - 1], at === -1 ? undefined : requests[at + 1]];
  return (
    <TitledDialog title={`Request to ${request.tool}`} side onClose={props.onClose}>
      <div className="tb-log-head">
        <State {...statusLook(request.status)}>
          <span className="tb-log-code">{request.code ?? "OK"}</span>
        </State>
        <Group gap="xs">
          <StepButton to={newer} label="Newer" onOpen={onOpen} />
          <StepButton to={older} label="Older" onOpen={onOpen} />
        </Group>
      </div>
      <ErrorText request={request} />
      <Latency request={request} />
      <Facts {...props} />
      <Repeat request={request} />
    </TitledDialog>
  );
}

/** Stays focusable at the end of the list, so that the focus is not lost. */
function StepButton(props: {
  to: RequestView | undefined;
  label: string;
  onOpen: (request: RequestView) => void;
}) {
  const { to } = props;
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-disabled={to === undefined}
      {...(to === undefined ? { "data-disabled": true } : {})}
      onClick={() => to !== undefined && props.onOpen(to)}
    >
      {props.label}
    </Button>
  );
}

/** What the response said, and then the cause and the cure as on the page of errors. */
function ErrorText({ request }: { request: RequestView }) {
  const known = knownCode(request.code);
  if (known === null && request.detail === null) return null;
  return (
    <div className="tb-log-error">
      {known !== null && <strong>{ERRORS[known].title}</strong>}
      <Problem request={request} />
      {known !== null && <Cure code={known} />}
    </div>
  );
}

function Problem({ request: { detail, errors } }: { request: RequestView }) {
  if (detail === null) return null;
  return (
    <>
      <p className="tb-log-detail">
        <Prose text={detail} />
      </p>
      {errors !== null && errors.length > 0 && (
        <ul className="tb-bullets tb-log-errors" aria-label="Errors in the request">
          {errors.map((each) => {
            const name = each.pointer ?? each.parameter ?? each.header ?? "";
            return (
              <li key={`${name} ${each.detail}`}>
                <code>{name}</code> <Prose text={each.detail} />
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

function Cure({ code }: { code: keyof typeof ERROR_TEXTS }) {
  const { cause, cure } = ERROR_TEXTS[code];
  return (
    <>
      <p>
        <Prose text={cause} />
      </p>
      <p>
        <b>What to do:</b> <Prose text={cure} />
      </p>
      <a href={`${base()}/docs/errors#${code}`}>{code} in the documentation</a>
    </>
  );
}

/** The parts of the latency as one bar. */
function Latency({ request: { times } }: { request: RequestView }) {
  const parts = latencyParts(times);
  const sum = parts.reduce((all, { ms }) => all + ms, 0);
  return (
    <section className="tb-log-times" aria-label="Latency">
      <h3>
        Latency <span>{duration(times.total)}</span>
      </h3>
      <div className="tb-log-bar" aria-hidden="true">
        {parts.map(({ id, ms }) => (
          <span key={id} data-part={id} style={{ flexGrow: sum === 0 ? 1 : ms / sum }} />
        ))}
      </div>
      <ul>
        {parts.map(({ id, title, ms }) => (
          <li key={id}>
            <i data-part={id} aria-hidden="true" />
            {title} <b>{duration(ms)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts(props: Parameters<typeof RequestPanel>[0]) {
  const { request, keys, onChoose } = props;
  const { id, at, key, via, bytes, address } = request;
  const local = localTime(at);
  const found = key === null ? undefined : keys.get(key);
  return (
    <dl className="tb-log-facts">
      <Fact name="Request ID">
        <code className="tb-break">{id}</code>
        <span className="tb-log-copies">
          <CopyButton copy={id} name="Copy the request ID" />
          <CopyButton
            copy={absoluteUrl(`/requests?id=${encodeURIComponent(id)}`)}
            name="Copy link to this request"
            title="Copy link"
          />
        </span>
      </Fact>
      <Fact name="Time">
        {exactTime(at)}
        {local !== null && <small>{local}</small>}
      </Fact>
      <Fact name="Key">
        {key === null ? (
          "No longer known"
        ) : (
          <>
            <Link to="/settings/api-keys">{found?.label ?? key}</Link>
            {found !== undefined && (
              <small>
                <code>{found.start}…</code>
                {found.revokedAt !== null && ", revoked"}
              </small>
            )}
            <button type="button" className="tb-link" onClick={() => onChoose({ key, id: "" })}>
              Show its requests
            </button>
          </>
        )}
      </Fact>
      <Fact name="Charged">{chargeText(request)}</Fact>
      <Fact name="Body received">{size(bytes.received)}</Fact>
      <Fact name="Body sent">
        {bytes.sent === null
          ? "Nothing: the connection was lost before the response was sent"
          : size(bytes.sent)}
      </Fact>
      <Fact name="Through">{via === "mcp" ? "MCP" : "HTTP"}</Fact>
      <Fact name="Client address">{address ?? "Not known"}</Fact>
    </dl>
  );
}

function Repeat({ request }: { request: RequestView }) {
  const apiUrl = useVisitor().data?.apiUrl;
  if (apiUrl === undefined) return null;
  return (
    <section className="tb-log-repeat">
      <h3>Send it again</h3>
      <Text size="sm" c="dimmed" mb="xs">
        Bodies are not kept. Put the body into <code>body.json</code>, and your key into{" "}
        <code>{service().keyVariable}</code>.
      </Text>
      <CodeBlock code={repeatCode(request, apiUrl, service())} label="The call with curl" />
    </section>
  );
}

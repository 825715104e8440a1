import { Button, Text, Textarea } from "@mantine/core";
import { useMemo, useState } from "react";
import { counted, formatNumber } from "#counted.ts";
import { toBase64 } from "#tools/base64.ts";
import type { HashAlgorithm } from "#tools/define-tool.ts";
import { CopyButton } from "../../parts/code-block.tsx";
import { Message } from "../../parts/message.tsx";
import { ALGORITHM_NAMES, type Expected, matches, readExpected } from "../expected-digest.ts";
import { ALGORITHMS, type Digests } from "../hash-stream.ts";
import type { BesideProps, ResultProps } from "../tool-view.ts";
import { type DigestState, useDigests } from "../use-digests.ts";

type HashResponse = {
  algorithm: string;
  hash: string;
  length: number;
  encoding?: "hex" | "base64" | "base64url";
};

export const dropLabel = "Drop the file to hash it";

export default function HashResult({ response }: ResultProps) {
  const { algorithm, hash, length, encoding = "hex" } = JSON.parse(response.body) as HashResponse;
  return (
    <div className="play-card">
      <div className="play-card-head">
        <span>
          {ALGORITHM_NAMES[algorithm.toLowerCase() as HashAlgorithm]}, {length} {UNITS[encoding]}
        </span>
        <CopyButton copy={hash} name="Copy the hash" />
      </div>
      <p className="play-hash">{hash}</p>
    </div>
  );
}

const UNITS = {
  hex: "hex digits",
  base64: "characters of Base64",
  base64url: "characters of Base64url",
};

/** Every digest of the input, and the comparison with one that was published. */
export function Beside({ inputs: { values, file }, mayRun }: BesideProps) {
  const text = String(values["text"] ?? "");
  const blob = useMemo(() => file?.blob ?? new Blob([text]), [file, text]);
  const state = useDigests(mayRun && text.isWellFormed() ? blob : null);
  const isBase64 = values["encoding"] !== undefined && values["encoding"] !== "hex";
  const hasKey = Boolean(values["hmacKey"]);
  return (
    <div className="play-card">
      <div className="play-card-head">
        <span>
          All digests of the {file === null ? "text" : "file"}
          {hasKey ? ", without the HMAC key" : ""}
        </span>
      </div>
      <DigestList state={state} size={blob.size} isBase64={isBase64} />
      <Compare
        digests={state.kind === "done" ? state.digests : null}
        fileName={file?.name ?? null}
      />
    </div>
  );
}

function DigestList({
  state,
  size,
  isBase64,
}: {
  state: DigestState;
  size: number;
  isBase64: boolean;
}) {
  if (state.kind === "running") return <Progress state={state} size={size} />;
  if (state.kind === "cancelled" || state.kind === "failed") {
    return (
      <Message
        tone={state.kind === "failed" ? "bad" : "plain"}
        action={
          <Button variant="default" size="xs" onClick={state.again}>
            Start again
          </Button>
        }
      >
        {state.kind === "failed" ? state.message : "Stopped before the end of the file."}
      </Message>
    );
  }
  const digests = state.kind === "done" ? state.digests : null;
  return (
    <dl className="play-digests">
      {ALGORITHMS.map((algorithm) => {
        const digest = digests === null ? "" : write(digests, algorithm, isBase64);
        return (
          <div key={algorithm}>
            <dt>{ALGORITHM_NAMES[algorithm]}</dt>
            <dd>
              <span className="play-hash">{digest === "" ? "…" : digest}</span>
              {digest !== "" && (
                <CopyButton copy={digest} name={`Copy: ${ALGORITHM_NAMES[algorithm]}`} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function write(digests: Digests, algorithm: HashAlgorithm, isBase64: boolean): string {
  const bytes = digests[algorithm];
  if (isBase64) return toBase64(bytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function Progress({
  state: { bytes, startedAt, cancel },
  size,
}: {
  state: Extract<DigestState, { kind: "running" }>;
  size: number;
}) {
  const seconds = (Date.now() - startedAt) / 1000;
  const rate = seconds > 0.5 ? bytes / seconds : 0;
  const left = rate > 0 ? Math.ceil((size - bytes) / rate) : null;
  return (
    <div className="play-progress">
      <progress max={Math.max(size, 1)} value={bytes} aria-label="Hashed" />
      <Text size="sm" c="dimmed">
        {megabytes(bytes)} of {megabytes(size)}
        {rate > 0 && `, ${megabytes(rate)} a second`}
        {left !== null && left > 0 && `, ${counted(left, "second")} left`}
      </Text>
      <Button variant="default" size="xs" onClick={cancel}>
        Cancel
      </Button>
    </div>
  );
}

const megabytes = (bytes: number): string =>
  `${formatNumber(Math.round((bytes / 1_000_000) * 10) / 10)} MB`;

function Compare({ digests, fileName }: { digests: Digests | null; fileName: string | null }) {
  const [text, setText] = useState("");
  const expected = useMemo(() => readExpected(text, fileName), [text, fileName]);
  return (
    <>
      <Textarea
        mt="md"
        label="Compare with an expected digest"
        description={
          <>
            Hex or Base64, with or without <code>sha256:</code>, or the file that{" "}
            <code>sha256sum</code> writes.
          </>
        }
        classNames={{ input: "play-text" }}
        rows={2}
        value={text}
        placeholder="sha256:…"
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div role="status" className="play-verdict">
        <Verdict expected={expected} digests={digests} />
      </div>
    </>
  );
}

function Verdict({ expected, digests }: { expected: Expected | null; digests: Digests | null }) {
  if (expected === null) return null;
  if ("fault" in expected) return <Message tone="warn">{expected.fault}</Message>;
  const name = ALGORITHM_NAMES[expected.algorithm];
  if (digests === null) {
    return (
      <Text size="sm" c="dimmed">
        Compared when the digests are ready.
      </Text>
    );
  }
  return matches(digests, expected) ? (
    <Message tone="ok" title={`Match: the ${name} digest is the expected one.`} />
  ) : (
    <Message tone="bad" title={`No match: the ${name} digest is different.`}>
      The content is not what was published, or the digest is of something else.
    </Message>
  );
}

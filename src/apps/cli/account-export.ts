import { closeSync, openSync } from "node:fs";
import { entryLines, type PersonalDataSource, personalData } from "#accounts/personal-data.ts";
import { baseOf } from "../node/addresses.ts";
import type { Outcome, Session } from "./command.ts";
import { accountOf } from "./deployment.ts";
import {
  checkOutputFile,
  commitFile,
  createPartialFile,
  createSink,
  dropPartialFile,
} from "./files.ts";

export type AccountExportArgs = {
  email: string;
  file: string | undefined;
  entries: string | undefined;
  force: boolean;
};

const ROWS_AT_ONCE = 500;
const ENTRIES_AT_ONCE = 1_000;

/** Exports the personal data of an account, as its owner can on the dashboard. Files are written piece by piece. */
export async function exportAccount(args: AccountExportArgs, session: Session): Promise<Outcome> {
  const { client, config, remote, now } = session;
  for (const file of [args.file, args.entries])
    if (file !== undefined) checkOutputFile(file, args.force, config);
  const { account, email } = await accountOf(session, args.email);
  const service = remote?.url ?? baseOf(config, config.port);
  const document = personalData(sourceOf(session, account), { account, service, now });
  if (args.entries !== undefined) {
    const read = (after: string | null) =>
      client.listEntries({ account, after, max: ENTRIES_AT_ONCE, now });
    await writePieces(args.entries, entryLines(read));
  }
  if (args.file === undefined) {
    const pieces: string[] = [];
    for await (const piece of document) pieces.push(piece);
    const text = pieces.join("");
    return { json: JSON.parse(text) as object, text };
  }
  await writePieces(args.file, document);
  return {
    json: { id: account, email, file: args.file, entries: args.entries ?? null },
    text: `Exported the data of ${email} to ${args.file}. It contains personal data, so keep it safe.\n`,
  };
}

function sourceOf({ client, now }: Session, account: string): PersonalDataSource {
  return {
    account: () => client.findAccount({ account, now }),
    user: () => client.exportOwner({ account, now }),
    keys: () => client.listKeys({ account }),
    credits: (order) => client.credits({ ...order, account, now }),
    usage: (order) => client.usage({ ...order, account }),
    activity: (user, after) => client.listActivity({ user, after, max: ROWS_AT_ONCE }),
    requests: (before) => client.listRequests({ account, before, max: ROWS_AT_ONCE }),
    async purchases(after) {
      const rows = await client.listPurchases({ account, after, max: ROWS_AT_ONCE });
      return { rows, next: rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.id ?? null) };
    },
  };
}

/** Writes a file completely or not at all. */
async function writePieces(target: string, pieces: AsyncIterable<string>): Promise<void> {
  const partial = createPartialFile(target);
  try {
    const fd = openSync(partial, "w");
    try {
      const sink = createSink(fd);
      for await (const piece of pieces) sink.write(Buffer.from(piece));
      sink.end();
    } finally {
      closeSync(fd);
    }
    commitFile(partial, target);
  } finally {
    dropPartialFile(partial);
  }
}

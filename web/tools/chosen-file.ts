import { counted } from "#counted.ts";

/** A file that the user chose, dropped or pasted. */
export type ChosenFile = {
  name: string;
  size: number;
  blob: Blob;
  /** The content for a tool that takes text, with its line endings and byte order mark; null for a tool that takes bytes. */
  text: string | null;
  /** The content for a tool that takes bytes; null where it is too large for the API, and is only read as a stream. */
  bytes: Uint8Array<ArrayBuffer> | null;
};

/** Reads a file for a tool. Throws an error whose message is for the user. */
export async function readChosenFile(
  file: File,
  bytesMax: number,
  takesBytes: boolean,
): Promise<ChosenFile> {
  const { name, size } = file;
  if (takesBytes) {
    const bytes = size > bytesMax ? null : new Uint8Array(await readAll(file));
    return { name, size, blob: file, text: null, bytes };
  }
  if (size > bytesMax) {
    throw new Error(
      `“${name}” has ${counted(size, "byte")}; the limit is ${counted(bytesMax, "byte")}. Choose a smaller file.`,
    );
  }
  const read = await readAll(file);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { name, size, blob: file, text: decoder.decode(read), bytes: null };
  } catch {
    throw new Error(
      `“${name}” is not UTF-8 text, which the API requires. Save it as UTF-8 or choose another file.`,
    );
  }
}

const readAll = (file: File): Promise<ArrayBuffer> =>
  file.arrayBuffer().catch(() => {
    throw new Error(`“${file.name}” could not be read. Check that it is a file, then try again.`);
  });

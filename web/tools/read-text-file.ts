import { counted } from "../parts/numbers.ts";

/** A file read without changes to line endings or a byte order mark, so that its hash is that of the file. */
export type OpenedFile = { name: string; bytes: number; text: string };

/** Reads a UTF-8 file of at most `bytesMax` bytes. Throws an error whose message is for the user. */
export async function readTextFile(file: File, bytesMax: number): Promise<OpenedFile> {
  if (file.size > bytesMax) {
    throw new Error(
      `“${file.name}” has ${counted(file.size, "byte")}; the limit is ${counted(bytesMax, "byte")}. Choose a smaller file.`,
    );
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`“${file.name}” could not be read. Check that it is a file, then try again.`);
  });
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { name: file.name, bytes: bytes.byteLength, text: decoder.decode(bytes) };
  } catch {
    throw new Error(
      `“${file.name}” is not UTF-8 text, which the API requires. Save it as UTF-8 or choose another file.`,
    );
  }
}

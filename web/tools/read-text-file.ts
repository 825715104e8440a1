import { counted } from "../parts/numbers.ts";

/** A file whose text is taken as it is: line ends and a byte order mark stay, so that its hash is the file's. */
export type OpenedFile = { name: string; bytes: number; text: string };

/** Throws with a sentence for the person where the file is not to be used. */
export async function readTextFile(file: File, bytesMax: number): Promise<OpenedFile> {
  if (file.size > bytesMax) {
    throw new Error(
      `“${file.name}” has ${counted(file.size, "byte")}, and the limit is ${counted(bytesMax, "byte")}. Choose a smaller file.`,
    );
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`“${file.name}” could not be read. Check that it is a file and try again.`);
  });
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { name: file.name, bytes: bytes.byteLength, text: decoder.decode(bytes) };
  } catch {
    throw new Error(
      `“${file.name}” is not text in UTF-8, and the API takes only that. Save it as UTF-8, or choose another file.`,
    );
  }
}

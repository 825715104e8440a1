import type { FormPart } from "./multipart.ts";

/** The file of a call: what has been received of it, and where it is. `receive-file.ts` receives it. */

/** Where files are while their calls run. */
export type FileStore = {
  /**
   * Makes a file, for which the client of `connection` gets UPLOAD_TIMEOUT_MS. Throws an ApiError `unavailable` where the disk has no
   * space for it.
   */
  create(connection: unknown): Promise<StoredFile>;
};

export type StoredFile = {
  readonly path: string;
  /** Throws an ApiError `unavailable` where the disk is full. */
  write(bytes: Uint8Array): Promise<void>;
  /** Called after the last `write`. Returns the SHA-256 of the bytes in hex. */
  close(): Promise<string>;
  /** Deletes the file, now or when it has been written. */
  remove(): void;
};

/** A file that has arrived, and the texts of the form that it was sent in. Plain data, so that another thread can have it. */
export type ReceivedFile = {
  path: string;
  type: string;
  sha256: string;
  /** The parts of the form, without the bytes of the file; null if the file was the body. */
  parts: FormPart[] | null;
};

/** The file of a call, from its first byte until the call has ended. */
export type Upload = {
  /** Null until it has arrived. */
  file: ReceivedFile | null;
  /** Deletes it, and gives back the bytes that it has of the budget. */
  release(): void;
};

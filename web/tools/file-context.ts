import { createContext } from "react";
import type { ChosenFile } from "./chosen-file.ts";

/** The file in place of the main field, for the control of that field. */
export type FileChoice = {
  file: ChosenFile | null;
  /** Why the last file was not taken, for the user. */
  fault: string | undefined;
  /** Undefined for a tool that takes no file. */
  mainField: string | undefined;
  choose(file: File): void;
  /** Turns the file into editable text. */
  edit(): void;
  clear(): void;
};

export const FileContext = createContext<FileChoice>({
  file: null,
  fault: undefined,
  mainField: undefined,
  choose: () => {},
  edit: () => {},
  clear: () => {},
});

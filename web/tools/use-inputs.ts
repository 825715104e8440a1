import { useEffect, useMemo, useRef, useState } from "react";
import type { Tool } from "#tools/define-tool.ts";
import type { Inputs } from "./call-plan.ts";
import { readChosenFile } from "./chosen-file.ts";
import type { FileChoice } from "./file-context.ts";
import { isInputFragment, loadInputs, readFragment, storeInputs } from "./input-link.ts";
import { type FieldValues, fieldsOf, mainFieldOf, startValues } from "./tool-fields.ts";

/** Where the inputs of the form come from, as far as the page has to say so. */
export type Origin = { kind: "here" } | { kind: "link" } | { kind: "link-fault"; fault: string };

/** The inputs of a form. They survive a reload, and a link can bring them. */
export function useInputs(tool: Tool<unknown>) {
  const fields = useMemo(() => fieldsOf(tool), [tool]);
  const mainField = mainFieldOf(tool, fields);
  const [{ inputs, origin }, setState] = useState(() => {
    const read = takeFragment();
    const start: Inputs = {
      values: loadInputs(tool.name, fields) ?? startValues(tool),
      file: null,
    };
    return read === null ? { inputs: start, origin: HERE } : { ...fromLink(read, start) };
  });
  const [fault, setFault] = useState<string>();

  function takeFragment() {
    if (!isInputFragment(location.hash)) return null;
    const read = readFragment(fields, location.hash);
    // Otherwise a reload would bring the link's inputs back in place of what was typed since.
    history.replaceState(history.state, "", location.pathname + location.search);
    return read;
  }

  function setInputs(next: Inputs) {
    setFault(undefined);
    setState({ inputs: next, origin: HERE });
  }
  const setValues = (values: FieldValues) => setInputs({ values, file: inputs.file });

  // A link that is pasted into the address bar of this page does not load the page again.
  useEffect(() => {
    const follow = () => {
      const read = takeFragment();
      if (read !== null) setState(({ inputs: before }) => fromLink(read, before));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [fields]);

  const latest = useRef(inputs);
  latest.current = inputs;
  useEffect(() => {
    const store = () => {
      const { values, file } = latest.current;
      const stored =
        file === null || mainField === undefined ? values : { ...values, [mainField]: "" };
      storeInputs(tool.name, fields, stored);
    };
    // Stored when the page is left: storing a large input at every key would make typing slow.
    addEventListener("pagehide", store);
    return () => {
      removeEventListener("pagehide", store);
      store();
    };
  }, [tool, fields, mainField]);

  const choosing = useRef(0);
  async function choose(file: File) {
    if (mainField === undefined) return;
    choosing.current += 1;
    const turn = choosing.current;
    const isCurrent = () => turn === choosing.current;
    const field = fields.find(({ name }) => name === mainField);
    const bytesMax = field?.bytesMax ?? tool.bodyBytesMax;
    try {
      const read = await readChosenFile(file, bytesMax, tool.rawBody?.octets === true);
      if (!isCurrent()) return;
      const values = { ...latest.current.values, [mainField]: read.text ?? "" };
      setInputs({ values, file: read });
    } catch (error) {
      if (isCurrent()) setFault((error as Error).message);
    }
  }

  const files: FileChoice = {
    file: inputs.file,
    fault,
    mainField,
    choose: (file) => void choose(file),
    edit: () => setInputs({ values: inputs.values, file: null }),
    clear: () => setInputs({ values: { ...inputs.values, [mainField as string]: "" }, file: null }),
  };
  return { fields, inputs, origin, setInputs, setValues, files, accept: () => setInputs(inputs) };
}

const HERE: Origin = { kind: "here" };

function fromLink(
  read: ReturnType<typeof readFragment>,
  before: Inputs,
): { inputs: Inputs; origin: Origin } {
  return "values" in read
    ? { inputs: { values: read.values, file: null }, origin: { kind: "link" } }
    : { inputs: before, origin: { kind: "link-fault", fault: read.fault } };
}

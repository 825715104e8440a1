import { codeBlock } from "./code-block.ts";
import { type Html, html } from "./html.ts";
import { type CallShown, curlCode, fetchCode, pythonCode } from "./request-code.ts";

/** Radio buttons choose the language, so that it needs no script; a browser too old for that shows all three. */
export function languageTabs(name: string, call: CallShown): Html {
  const option = (value: string, label: string, checked: boolean) =>
    html`<label><input type="radio" name="language-${name}" value="${value}"${
      checked && html` checked`
    }>${label}</label>`;
  return html`<div class="tabs"><fieldset><legend>Language of the request (${name})</legend>${option(
    "curl",
    "curl",
    true,
  )}${option("js", "JavaScript", false)}${option("py", "Python", false)}</fieldset>
${codeBlock("Request with curl", curlCode(call), { variant: "curl" })}${codeBlock(
  "Request in JavaScript",
  fetchCode(call),
  { variant: "js" },
)}${codeBlock("Request in Python", pythonCode(call), { variant: "py" })}</div>
`;
}

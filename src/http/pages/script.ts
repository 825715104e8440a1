/**
 * The one script: it gives every code block a button that copies it. Where the browser gives pages no clipboard
 * (it does so only over HTTPS and on the same machine) there is no button, and nothing else is lost without it.
 */
export const SCRIPT = `
if(navigator.clipboard)for(const block of document.querySelectorAll(".code")){
const button=document.createElement("button");
button.type="button";button.className="copy";button.textContent="Copy";
button.onclick=async()=>{
await navigator.clipboard.writeText(block.querySelector("pre").textContent);
button.textContent="Copied";
setTimeout(()=>{button.textContent="Copy"},1500)};
block.firstChild.append(button)}
`.trim();

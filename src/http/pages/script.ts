/**
 * The one script: it copies a code block. The buttons are hidden until it runs, and stay hidden where the browser
 * gives pages no clipboard (it does so only over HTTPS and on the same machine), so nothing is lost without it.
 */
export const SCRIPT = `
if(navigator.clipboard)for(const button of document.querySelectorAll(".copy")){
button.hidden=false;
button.addEventListener("click",async()=>{
await navigator.clipboard.writeText(button.closest("figure").querySelector("pre").textContent);
button.textContent="Copied";
setTimeout(()=>{button.textContent="Copy"},1500)})}
`.trim();

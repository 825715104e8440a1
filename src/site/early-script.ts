/**
 * The script in the head of every page. It runs before the first paint, so that a page never flashes in the wrong colours or with
 * the links of another visitor. It is inline, because a file would delay the paint; the Content-Security-Policy allows it by its
 * hash. `web/shell/appearance.ts` and `web/shell/visitor.ts` write what it reads. Without it, CSS follows the system.
 */
export const EARLY_SCRIPT = `(function(root){var chosen,visitor;
try{chosen=localStorage.getItem("mantine-color-scheme-value");visitor=localStorage.getItem("toolbooth-visitor")}catch(error){}
var dark=chosen==="dark"||chosen!=="light"&&matchMedia("(prefers-color-scheme: dark)").matches;
root.setAttribute("data-mantine-color-scheme",dark?"dark":"light");
if(visitor==="in"){root.setAttribute("data-visitor","in");root.setAttribute("data-was-in","")}})(document.documentElement)`.replace(
  /\n/g,
  "",
);

import { schemeCss } from "#site/tokens.ts";

/** The stylesheet of the preview of `markdown-render`, a document in a sandboxed frame. */
export const PREVIEW_STYLE = `
:root{${schemeCss("light")};--tb-bg:#fff}
:root[data-scheme=dark]{${schemeCss("dark")}}
body{margin:0;padding:1rem 1.25rem;background:var(--tb-bg);color:var(--tb-ink);overflow-wrap:anywhere;
font:1rem/1.6 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
body>:first-child{margin-top:0}
h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.4em 0 .5em}h1{font-size:1.6rem}h2{font-size:1.3rem}h3{font-size:1.1rem}
h4,h5,h6{font-size:1rem}
p,ul,ol,pre,table,blockquote{margin:.8em 0}ul,ol{padding-left:1.5rem}li:has(>input){list-style:none;margin-left:-1.35rem}
a{color:var(--tb-accent)}hr{border:0;border-top:1px solid var(--tb-line)}
code,pre{font:.875em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--tb-panel);border-radius:4px;padding:.1em .3em}
pre{background:var(--tb-panel);border-radius:6px;padding:.7rem .9rem;overflow:auto}pre code{padding:0}
blockquote{border-left:3px solid var(--tb-line);margin-left:0;padding-left:1rem;color:var(--tb-soft)}
table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--tb-line);padding:.35rem .7rem}
.image{border:1px dashed var(--tb-soft);border-radius:4px;color:var(--tb-soft);padding:.05em .4em}
.markdown-alert{border-left:3px solid var(--tb-accent);padding-left:1rem}.markdown-alert-title{font-weight:600;color:var(--tb-accent)}
.footnotes{border-top:1px solid var(--tb-line);margin-top:2rem;font-size:.9rem;color:var(--tb-soft)}
.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`;

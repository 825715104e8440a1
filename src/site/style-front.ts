/** Styles of the front page and the 404 page. */
export const FRONT_STYLE = `
.slim .bar,.slim .foot,.slim .body{max-width:76.5rem}
.slim main>section{padding-top:5rem}
.slim main h2{font-size:clamp(1.5rem,4vw,1.85rem);letter-spacing:-.02em}
.hero{display:grid;gap:2.5rem 3.5rem;padding:1.5rem 0 0}
.hero h1{font-size:clamp(2.3rem,7vw,3.6rem);line-height:1.08;letter-spacing:-.035em}
.pitch .lead{font-size:clamp(1.1rem,2.5vw,1.25rem);margin-top:1.4rem}
.pitch .small{margin-top:1.1rem}
@media (min-width:62rem){.hero{grid-template-columns:minmax(0,1.05fr) minmax(0,1fr);align-items:center;padding-top:2.5rem}}
.try{border:1px solid var(--line);border-radius:12px;background:var(--panel);padding:1.25rem}
.slim main .try h2{font-size:1.125rem;letter-spacing:-.01em}
.try label{display:block;margin-top:.9rem;font-size:.875rem;font-weight:600}
.try textarea{display:block;width:100%;margin-top:.3rem;font:1rem/1.5 var(--mono);color:var(--ink);background:var(--bg);border:1px solid var(--edge);border-radius:8px;padding:.55rem .75rem;resize:vertical}
.hint{margin-top:.4rem;font-size:.8125rem;color:var(--soft)}
.made{display:flex;gap:1.25rem;align-items:flex-start;margin-top:1rem}
.qr{flex:none;background:#fff;border:1px solid var(--line);border-radius:8px;width:9rem;height:9rem;padding:.25rem}
.qr img{display:block;width:100%;height:100%}
.made dl{margin:0;min-width:0;font-size:.875rem}.made dt:first-child{margin-top:0}.made dt{color:var(--accent)}.made dt code{font-weight:600}
.digest{overflow-wrap:anywhere}
.made .digest{background:none;border:0;padding:0}
.fault{margin:.6rem 0 0;font-size:.875rem;color:var(--bad)}.fault:empty{display:none}
.try .code{background:var(--bg);margin-top:1rem}
@media (max-width:26rem){.made{flex-direction:column}}
.steps{list-style:none;counter-reset:step;padding:0;margin-top:1.75rem;display:grid;gap:2rem}
.steps li{margin:0;counter-increment:step;min-width:0;display:flex;flex-direction:column}
.steps li::before{content:counter(step);display:grid;place-items:center;width:2rem;height:2rem;border-radius:50%;background:var(--tint);color:var(--accent);font-weight:650;font-size:.9375rem;margin-bottom:.75rem}
.steps p{color:var(--soft)}
@media (min-width:62rem){.steps{grid-template-columns:repeat(3,minmax(0,1fr));gap:2rem}.steps p{flex:1}
@supports (grid-template-rows:subgrid){.steps{grid-template-rows:repeat(4,auto)}.steps li{display:grid;grid-row:span 4;grid-template-rows:subgrid;row-gap:0}.steps .code{align-self:start}}}
.slim main .cards{gap:1rem;margin-top:1.75rem;grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr))}.slim .cards a{padding:1.1rem 1.2rem}
.packs{list-style:none;padding:0;margin-top:1.75rem;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(13.5rem,100%),1fr))}
.packs li{margin:0;border:1px solid var(--line);border-radius:8px;padding:1.1rem 1.2rem}
.packs p{margin-top:.35rem}.packs .price{font-size:1.75rem;font-weight:650;letter-spacing:-.02em;line-height:1.2;overflow-wrap:anywhere}
.packs+p{max-width:46rem;margin-top:1.25rem}
.reasons{list-style:none;padding:0;margin-top:1.75rem;display:grid;gap:2.25rem 2.5rem;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}
.reasons li{margin:0;border-top:1px solid var(--line);padding-top:1.1rem}
.reasons h3{font-size:1.0625rem}.reasons p{margin-top:.5rem;color:var(--soft)}
.band>div p{color:var(--soft);max-width:36rem}
@media (min-width:62rem){.band{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.1fr);gap:3.5rem;align-items:center}}
.lost{padding:3rem 0 4rem}.lost h1{font-size:clamp(1.9rem,5vw,2.6rem)}
.code-word{font:650 1rem/1 var(--mono);color:var(--accent);margin:0 0 1rem}
`;

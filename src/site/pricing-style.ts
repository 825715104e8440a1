/** The pricing page. */
export const PRICING_STYLE = `
.mark{display:inline-block;padding:.1rem .55rem;border-radius:99px;background:var(--tb-tint);color:var(--tb-accent);font-size:.75rem;font-weight:600;vertical-align:.15em;white-space:nowrap}
.pricing .packs .chosen{border-color:var(--tb-accent);box-shadow:inset 0 0 0 1px var(--tb-accent)}
.pricing>section:first-of-type{padding-top:1.5rem}.pricing>section{padding-top:3.5rem}
.pricing .actions{align-items:center}
.estimate{display:grid;gap:.75rem 2rem;grid-template-columns:minmax(0,14rem) minmax(0,1fr);align-items:center;margin-top:1.25rem;padding:1rem 1.2rem;border-radius:var(--tb-radius,8px);background:var(--tb-panel)}
.estimate p{margin:0}.estimate label{display:block;font-size:.875rem;font-weight:600;margin-bottom:.3rem}
.estimate input{width:100%;min-height:2.75rem;padding:.3rem .75rem;font:inherit;color:var(--tb-ink);background:var(--tb-bg);border:1px solid var(--tb-edge);border-radius:var(--tb-radius,8px);font-variant-numeric:tabular-nums}
.estimate>p:last-child{min-height:3.1rem}.estimate b{font-size:1.125rem}.estimate small{display:block;color:var(--tb-soft);font-size:.875rem}
.pricing table{min-width:0}.pricing tbody th{font-weight:600}.number,.pricing tbody th{font-variant-numeric:tabular-nums}.number{text-align:right}
.questions details{border-bottom:1px solid var(--tb-line);max-width:52rem}
.questions summary{cursor:pointer;padding:.85rem 0;font-weight:600}.questions p{margin:0 0 1rem;color:var(--tb-soft)}
@media (max-width:44rem){.estimate{grid-template-columns:minmax(0,1fr)}}
`;

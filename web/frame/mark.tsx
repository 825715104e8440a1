/** A booth's barrier, raised: the mark of src/site/shell.ts. */
export const Mark = () => (
  <svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="currentColor" />
    <path d="M7 19V9.5m0 3L18.5 6" stroke="var(--tb-bg)" strokeWidth="2.4" strokeLinecap="round" />
    <circle cx="7" cy="12.5" r="2.2" fill="var(--tb-bg)" />
  </svg>
);

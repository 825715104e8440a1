/**
 * Bounds where the grammar would let a short text produce a huge or endlessly nested result. Beyond a bound the text
 * stays and its structure is flattened; no document is rejected.
 */

/**
 * Nested quotes, lists and items. Each line is matched against all open ones, so this also bounds the cost of a line
 * beyond its own characters. Browsers flatten more than 512 nested elements.
 */
export const CONTAINERS_MAX = 100;

/** Emphasis within emphasis: `*a **a *a` nests with every two characters, and browsers flatten beyond 512. */
export const INLINE_NESTING_MAX = 100;

/** CommonMark, section 4.7: a link label has at most 999 characters. */
export const LABEL_CHARS_MAX = 999;

/** CommonMark, section 6.3, allows a limit of at least three; this is cmark's. */
export const LINK_PARENTHESES_MAX = 32;

/**
 * One definition can be used any number of times: a long address by a hundred thousand references would make
 * gigabytes. Beyond this many characters of addresses and titles references become their text.
 */
export const referenceCharsMax = (sourceChars: number) => 4096 + 4 * sourceChars;

/**
 * A base URL may be long and a link short: a hundred thousand links would make hundreds of megabytes. Beyond this many
 * characters that the base URL has added, relative links and images become their text.
 */
export const resolvedCharsMax = (sourceChars: number) => 64 * 1024 + 4 * sourceChars;

/**
 * GFM fills a short row with empty cells: a thousand columns and rows of two characters would make 5,000 times
 * the text. Beyond this many the row ends where its text does.
 */
export const filledCellsMax = (sourceChars: number) => 256 + Math.floor(sourceChars / 16);

/**
 * Further references to a footnote that get a link back: each takes some 160 characters for the four of `[^a]`. The ones
 * beyond this number still link to the footnote.
 */
export const waysBackMax = (sourceChars: number) => 50 + Math.floor(sourceChars / 64);

/**
 * An HTML tag may be as long as the paragraph, and the quoted values within one tag may look like other tags.
 * Steps that were spent on tags without an end, in multiples of the paragraph's length, before `<` is text.
 */
export const FAILED_TAG_STEPS_FACTOR = 8;

/** Plain text leaves out more marks than this before a line: in ten ordered lists a lazy line of one character would get a hundred. */
export const TEXT_PREFIX_CHARS_MAX = 40;

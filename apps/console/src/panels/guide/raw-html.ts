/** Text formatting tags, harmless without attributes. */
const harmless = new Set([
  'br',
  'b',
  'i',
  'em',
  'strong',
  'u',
  's',
  'del',
  'sub',
  'sup',
  'kbd',
  'mark',
])

/**
 * Keeps formatting tags without attributes in the HTML of markdown and escapes everything else. The sanitiser alone
 * is not enough: a browser reports handlers and inline styles to its log when they are parsed, even if they are
 * removed at once.
 */
export function shownHtml(html: string): string {
  return html.replaceAll(/<\/?([a-z]+)\s*\/?>|[<>]/gi, (found, name?: string) =>
    name && harmless.has(name.toLowerCase())
      ? found
      : found.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  )
}

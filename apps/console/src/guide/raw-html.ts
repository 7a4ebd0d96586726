/** Tags that say how words look, and nothing when they have no attributes. */
const harmless = new Set([
  ...['br', 'b', 'i', 'em', 'strong', 'u', 's', 'del', 'sub', 'sup', 'kbd', 'mark'],
])

/**
 * HTML in markdown as it is shown: bare tags of words stay, all else is text to be read. It is not left to the sanitiser alone
 * because a browser reports handlers and styles to the console as soon as they are parsed, even where they are removed at once.
 */
export function shownHtml(html: string): string {
  return html.replaceAll(/<\/?([a-z]+)\s*\/?>|[<>]/gi, (found, name?: string) =>
    name && harmless.has(name.toLowerCase())
      ? found
      : found.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  )
}

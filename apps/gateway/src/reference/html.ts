/** Escapes of text in HTML. */

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (mark) => marks[mark] ?? mark)

export const renderCode = (text: string) => `<code>${escapeHtml(text)}</code>`
export const renderBlock = (text: string, name?: string) =>
  `<pre${name ? ` id="${escapeHtml(name)}"` : ''}>${escapeHtml(text)}</pre>`

/** Formats JSON with names of schemas as links. */
export const renderJson = (value: unknown) =>
  `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`.replace(
    /\{\s*&quot;\$ref&quot;:\s*&quot;#\/components\/schemas\/(\w+)&quot;\s*\}/g,
    '<a href="#schema-$1">$1</a>',
  )
export const renderSchemaLink = (name: string) =>
  `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`

export function renderTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (mark: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${mark}>${cell}</${mark}>`).join('')}</tr>`
  return `<table>${line('th', heads)}${rows.map((cells) => line('td', cells)).join('')}</table>`
}

/** Returns the anchor of a heading: `accounts-and-tokens` for `Accounts and tokens`. */
export const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s+/g, '-')

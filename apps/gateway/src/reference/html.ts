/** Escapes of text in HTML. */

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => marks[mark] ?? mark)

export const code = (text: string) => `<code>${escaped(text)}</code>`
export const block = (text: string, name?: string) =>
  `<pre${name ? ` id="${escaped(name)}"` : ''}>${escaped(text)}</pre>`

/** Formats JSON with names of schemas as links. */
export const json = (value: unknown) =>
  `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`.replace(
    /\{\s*&quot;\$ref&quot;:\s*&quot;#\/components\/schemas\/(\w+)&quot;\s*\}/g,
    '<a href="#schema-$1">$1</a>',
  )
export const shapeLink = (name: string) => `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
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

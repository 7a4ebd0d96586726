/** Limit on assets of a guide. */
export const mostAssets = 150

/** Reference to an asset in a guide: `![mirror](/api/assets/<uuid>)`. */
const reference = /\(\/api\/assets\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gi

/** Returns the distinct ids of the assets that a markdown text references. */
export function assetsIn(markdown: string): string[] {
  const ids = [...markdown.matchAll(reference)].map(([, id = '']) => id.toLowerCase())
  return [...new Set(ids)]
}

/** Returns the text with references replaced; `others` maps asset ids to their replacements. */
export function withAssets(markdown: string, others: ReadonlyMap<string, string>): string {
  return markdown.replace(reference, (whole, id: string) => {
    const other = others.get(id.toLowerCase())
    return other ? `(/api/assets/${other}` : whole
  })
}

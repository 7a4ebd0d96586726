/** Assets that a guide may refer to (`spec/service-api.md`, limits). */
export const mostAssets = 150

/** As guides write them: `![mirror](/api/assets/<uuid>)`. */
const reference = /\(\/api\/assets\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gi

/** Ids of the assets that a markdown text refers to, each once. */
export function assetsIn(markdown: string): string[] {
  const ids = [...markdown.matchAll(reference)].map(([, id = '']) => id.toLowerCase())
  return [...new Set(ids)]
}

/** The same text with references to other assets, by the ids of those it refers to. */
export function withAssets(markdown: string, others: ReadonlyMap<string, string>): string {
  return markdown.replace(reference, (whole, id: string) => {
    const other = others.get(id.toLowerCase())
    return other ? `(/api/assets/${other}` : whole
  })
}

/** Lists of image ids, one file for each subset. */

export interface ListedSubset {
  name: string
  /** Paths of images without extension. */
  ids: string[]
}

/** Formats a line of a list: an id that would be misread is quoted. */
export const listLine = (id: string): string => `${/^[\s"#]|\s$/.test(id) ? `"${id}"` : id}\n`

/** Returns the id of a line, normalized like a member name; undefined for comments and empty lines. */
export function listedId(line: string): string | undefined {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return undefined
  return (/^"(.*)"$/.exec(text)?.[1] ?? text).normalize('NFC')
}

/**
 * Removes repeated images: an image in several lists stays in the shortest one, because `trainval` repeats `train`
 * and `val`.
 */
export function withoutRepeats(lists: readonly ListedSubset[]): ListedSubset[] {
  const owners = new Map<string, string>()
  for (const { name, ids } of lists.toSorted((a, b) => a.ids.length - b.ids.length))
    for (const id of ids) if (!owners.has(id)) owners.set(id, name)
  return lists.map(({ name, ids }) => ({
    name,
    ids: [...new Set(ids)].filter((id) => owners.get(id) === name),
  }))
}

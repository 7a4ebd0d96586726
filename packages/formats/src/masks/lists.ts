/** Lists of images by their ids, a file a subset (spec/formats.md 10.3 and 11.1). */

export interface ListedSubset {
  name: string
  /** Paths of images without extension. */
  ids: string[]
}

/** A line of a list: an id that would be read as something else stands in quotes. */
export const listLine = (id: string): string => `${/^[\s"#]|\s$/.test(id) ? `"${id}"` : id}\n`

/** The id that a line has, in the form of names of members; undefined for comments and empty lines. */
export function listedId(line: string): string | undefined {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return undefined
  return (/^"(.*)"$/.exec(text)?.[1] ?? text).normalize('NFC')
}

/** An image in several lists is of the shortest: `trainval` repeats `train` and `val`. */
export function withoutRepeats(lists: readonly ListedSubset[]): ListedSubset[] {
  const owners = new Map<string, string>()
  for (const { name, ids } of lists.toSorted((a, b) => a.ids.length - b.ids.length))
    for (const id of ids) if (!owners.has(id)) owners.set(id, name)
  return lists.map(({ name, ids }) => ({
    name,
    ids: [...new Set(ids)].filter((id) => owners.get(id) === name),
  }))
}

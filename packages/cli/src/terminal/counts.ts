/** Formats a count: `1 shape`, `2 shapes`. @param one singular; the plural is formed with an s */
export const formatCount = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : 's'}`

/** Formats counts in the order of the members: `3 frames, 1 shape, 0 tracks`. @param counts counts by plural */
export const formatCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([several, count]) => formatCount(count, several.slice(0, -1)))
    .join(', ')

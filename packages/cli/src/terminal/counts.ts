/** `1 shape`, `2 shapes`. @param one what one of them is called; with an s it is what several are called */
export const counted = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : 's'}`

/** `3 frames, 1 shape, 0 tracks`, in the order of the members. @param counts by what several are called */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([several, count]) => counted(count, several.slice(0, -1)))
    .join(', ')

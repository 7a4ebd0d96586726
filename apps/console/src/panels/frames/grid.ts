/** Minimum width of a tile in pixels; the height matches `frames.css`. */
const tileWidth = 150
export const tileHeight = 150
export const gap = 8

/** Returns the number of columns in `width` pixels; at least two, also on a phone. */
export function columnsOf(width: number): number {
  return Math.max(2, Math.floor((width + gap) / (tileWidth + gap)))
}

/** Returns the index that a key moves to; undefined for other keys. */
export function movedBy(key: string, from: number, columns: number, count: number) {
  const steps: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from - columns,
    ArrowDown: from + columns,
    Home: 0,
    End: count - 1,
  }
  const to = steps[key]
  return to !== undefined && to >= 0 && to < count ? to : undefined
}

/** Of a tile in pixels: as wide as this at least, and as high as `frames.css` says. */
const tileWidth = 150
export const tileHeight = 150
export const gap = 8

/** How many tiles stand beside each other in `width` pixels; two at least, also on a telephone. */
export function columnsOf(width: number): number {
  return Math.max(2, Math.floor((width + gap) / (tileWidth + gap)))
}

/** Where a key leads from a tile: its index, or nothing where the key leads nowhere. */
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

import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { gap, tileHeight } from './grid.ts'
import { useColumns } from './use-columns.ts'

/** Time without scrolling, in milliseconds, after which pictures are loaded. */
const restMs = 200

/** Returns the visible part of a grid of `count` tiles. */
export function useRows(list: HTMLElement | null, count: number) {
  const columns = useColumns(list)
  const rows = useWindowVirtualizer({
    count: Math.ceil(count / columns),
    estimateSize: () => tileHeight + gap,
    overscan: 2,
    isScrollingResetDelay: restMs,
    scrollMargin: list?.offsetTop ?? 0,
  })
  const items = rows.getVirtualItems()
  const { scrollMargin } = rows.options
  const first = (items[0]?.index ?? 0) * columns
  const end = Math.min(count, ((items.at(-1)?.index ?? -1) + 1) * columns)
  return {
    columns,
    indexes: Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at),
    isScrolling: rows.isScrolling,
    /** Height of the rows before and after the visible ones, in pixels. */
    above: (items[0]?.start ?? scrollMargin) - scrollMargin,
    below: rows.getTotalSize() + scrollMargin - (items.at(-1)?.end ?? scrollMargin),
    show: (index: number, align: 'auto' | 'center') =>
      rows.scrollToIndex(Math.floor(index / columns), { align }),
  }
}

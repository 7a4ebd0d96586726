import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { gap, tileHeight } from './grid.ts'
import { useColumns } from './use-columns.ts'

/** The eye rests when nothing has moved for so long. */
const restMs = 200

/** What of a grid of `count` tiles is in sight, as the window is scrolled. */
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
    /** Pixels before and after what is in sight. */
    above: (items[0]?.start ?? scrollMargin) - scrollMargin,
    below: rows.getTotalSize() + scrollMargin - (items.at(-1)?.end ?? scrollMargin),
    show: (index: number, align: 'auto' | 'center') =>
      rows.scrollToIndex(Math.floor(index / columns), { align }),
  }
}

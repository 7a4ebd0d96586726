import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useState } from 'react'
import { formText } from '../../ui/form.tsx'
import { columnsOf, gap, movedBy, tileHeight } from './grid.ts'
import type { TilePosition } from './tile.tsx'

interface Props {
  name: string
  count: number
  tile: (position: TilePosition) => ReactNode
  /** Returns the index of a frame by its number, if the grid supports jumping. */
  placeOf?: (number: number) => number
}

/** Renders a grid of frame tiles; only visible ones are rendered. */
export function FrameGrid({ name, count, tile, placeOf }: Props) {
  const [list, setList] = useState<HTMLUListElement | null>(null)
  const [here, setHere] = useState<number>()
  const { columns, indexes, isScrolling, above, below, show } = useRows(list, count)
  const goTo = (index: number, align: 'auto' | 'center') => {
    show(index, align)
    setHere(index)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const to = movedBy(event.key, indexOf(event.target), columns, count)
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    goTo(to, 'auto')
  }
  return (
    <>
      {placeOf && <JumpForm count={count} onJump={(number) => goTo(placeOf(number), 'center')} />}
      <ul
        ref={setList}
        className="frames"
        aria-label={name}
        onKeyDown={onKeyDown}
        style={{
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          paddingTop: above,
          paddingBottom: below,
        }}
      >
        {indexes.map((index) =>
          tile({ index, count, isWaiting: isScrolling, isHere: index === here }),
        )}
      </ul>
    </>
  )
}

function indexOf(target: EventTarget): number {
  const tile = target instanceof Element && target.closest<HTMLElement>('[data-index]')
  return tile ? Number(tile.dataset.index) : 0
}

interface JumpFormProps {
  count: number
  onJump: (number: number) => void
}

function JumpForm({ count, onJump }: JumpFormProps) {
  return (
    <form
      className="jump"
      onSubmit={(event) => {
        event.preventDefault()
        onJump(Number(formText(new FormData(event.currentTarget), 'number')))
      }}
    >
      <label>
        Frame{' '}
        <input
          name="number"
          type="number"
          min={0}
          required
          autoComplete="off"
          inputMode="numeric"
        />
      </label>
      <button type="submit">Go</button>
      <span className="hint">{count.toLocaleString()} in all</span>
    </form>
  )
}

/** Time without scrolling, in milliseconds, after which pictures are loaded. */
const restMs = 200

/** Returns the visible part of a grid of `count` tiles. */
function useRows(list: HTMLElement | null, count: number) {
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

/** Returns the number of columns that fit into the element, updated with its width. */
function useColumns(element: HTMLElement | null): number {
  const [columns, setColumns] = useState(() => columnsOf(window.innerWidth))
  useLayoutEffect(() => {
    if (!element) return
    const watch = new ResizeObserver(() => setColumns(columnsOf(element.clientWidth)))
    watch.observe(element)
    return () => watch.disconnect()
  }, [element])
  return columns
}

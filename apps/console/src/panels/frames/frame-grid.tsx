import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { movedBy } from './grid.ts'
import { Jump } from './jump.tsx'
import type { TilePosition } from './tile.tsx'
import { useRows } from './use-rows.ts'

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
      {placeOf && <Jump count={count} onJump={(number) => goTo(placeOf(number), 'center')} />}
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

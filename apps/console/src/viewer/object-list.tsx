import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { Swatch } from '../ui/values.tsx'
import type { FrameObject } from './frame/item.ts'

interface Props {
  items: readonly FrameObject[]
  selected: FrameObject | undefined
  onSelect: (item: FrameObject | undefined) => void
}

const rowHeight = 28

/** Renders a list of the objects of the frame, with selection by arrow keys; only visible rows are rendered. */
export function ObjectList({ items, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const at = selected ? items.indexOf(selected) : -1
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at)
  }, [at, rows])
  if (items.length === 0) return <p className="hint">Nothing is shown on this frame.</p>
  const press = (event: KeyboardEvent) => {
    const to = targetOf(event.key, at, items.length)
    if (to === undefined) return
    event.preventDefault()
    onSelect(items[to])
  }
  return (
    <div
      ref={box}
      className="objects"
      role="listbox"
      aria-label="Objects"
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      tabIndex={0}
      onKeyDown={press}
    >
      <div style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <ObjectRow
            key={index}
            id={`${id}-${index}`}
            item={items[index]}
            isSelected={index === at}
            position={index + 1}
            count={items.length}
            top={start}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  )
}

/** Returns the row that a key moves to. */
function targetOf(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1)
  if (key === 'ArrowUp') return Math.max(at - 1, 0)
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

interface ObjectRowProps {
  id: string
  item: FrameObject | undefined
  isSelected: boolean
  /** Position from 1 to `count`. */
  position: number
  count: number
  /** Offset in the list, in CSS pixels. */
  top: number
  onSelect: (item: FrameObject | undefined) => void
}

/** Renders an object of the list. The list has the focus for all rows. */
function ObjectRow({ id, item, isSelected, position, count, top, onSelect }: ObjectRowProps) {
  if (!item) return null
  return (
    <div
      id={id}
      role="option"
      className="object"
      aria-selected={isSelected}
      aria-posinset={position}
      aria-setsize={count}
      tabIndex={-1}
      style={{ transform: `translateY(${top}px)` }}
      onPointerDown={() => onSelect(item)}
    >
      <Swatch color={item.color} />
      <span className="label-name">{item.label}</span>
      <small>
        {item.kind === 'tracks' ? `track, ${item.type}` : item.type} {item.id}
      </small>
    </div>
  )
}

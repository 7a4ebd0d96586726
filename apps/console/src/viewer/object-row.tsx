import { Swatch } from '../ui/swatch.tsx'
import type { FrameObject } from './frame/item.ts'

interface Props {
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
export function ObjectRow({ id, item, isSelected, position, count, top, onSelect }: Props) {
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

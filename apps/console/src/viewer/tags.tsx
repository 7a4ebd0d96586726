import { Swatch } from '../ui/swatch.tsx'
import type { FrameObject } from './frame/item.ts'

interface Props {
  shown: readonly FrameObject[]
  selected: FrameObject | undefined
  select: (item: FrameObject) => void
}

/** Shows the tags of the frame. */
export function Tags({ shown, selected, select }: Props) {
  const tags = shown.filter(({ kind }) => kind === 'tags')
  if (tags.length === 0) return <p className="tags hint">No tags</p> // keeps the position of the picture
  return (
    <ul className="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag.key}>
          <button type="button" aria-pressed={tag === selected} onClick={() => select(tag)}>
            <Swatch color={tag.color} /> {tag.label}
          </button>
        </li>
      ))}
    </ul>
  )
}

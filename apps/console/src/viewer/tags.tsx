import { Swatch } from '../ui/swatch.tsx'
import type { Item } from './frame/item.ts'

interface Props {
  shown: readonly Item[]
  selected: Item | undefined
  select: (item: Item) => void
}

/** What is said of the frame as a whole. */
export function Tags({ shown, selected, select }: Props) {
  const tags = shown.filter(({ kind }) => kind === 'tags')
  if (tags.length === 0) return <p className="tags hint">No tags</p> // the picture stays where it is
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

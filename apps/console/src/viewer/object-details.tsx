import { Swatch } from '../ui/swatch.tsx'
import type { FrameObject } from './frame/item.ts'

const kinds = { tags: 'tag', shapes: 'shape', tracks: 'track' } as const

/** Shows all properties of an object. */
export function ObjectDetails({ item }: { item: FrameObject }) {
  return (
    <section aria-live="polite">
      <h2>
        <Swatch color={item.color} /> {item.label}
      </h2>
      <dl className="pairs">
        {factsOf(item).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {item.attributes.map(({ name, value }) => (
          <div key={`attribute ${name}`}>
            <dt className="attribute">{name}</dt>
            <dd>{value === '' ? '–' : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function factsOf({ kind, type, id, source, group, score, keyframe, ...item }: FrameObject) {
  const facts: (readonly [string, string])[] = [
    ['Kind', kind === 'tags' ? kinds[kind] : `${kinds[kind]}, ${type}`],
    ['Id', String(id ?? '–')],
    ['Source', source],
    ['Group', group === 0 ? 'none' : String(group)],
  ]
  if (score !== undefined && score !== 1) facts.push(['Score', String(score)])
  if (keyframe !== undefined) facts.push(['Position', keyframe ? 'keyframe' : 'interpolated'])
  if (item.isOccluded) facts.push(['Occluded', 'yes'])
  if (item.z_order !== 0) facts.push(['Z-order', String(item.z_order)])
  return facts
}

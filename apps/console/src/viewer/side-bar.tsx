import type { Issue, Label } from '@reticle/sdk'
import { useMemo } from 'react'
import { Swatch } from '../ui/values.tsx'
import type { FrameObject } from './frame/item.ts'
import { ObjectList } from './object-list.tsx'
import type { ViewerSettings } from './settings.ts'
import type { useObjects } from './use-objects.ts'

interface Props {
  objects: ReturnType<typeof useObjects>
  labels: readonly Label[]
  settings: ViewerSettings
  issues: readonly Issue[]
}

export function SideBar({ objects, labels, settings, issues }: Props) {
  const { all, listed, selected, select } = objects
  return (
    <aside className="viewer-side" aria-label="Contents of the frame">
      <LabelFilter items={all} labels={labels} settings={settings} />
      <section className="objects-section">
        <h2>
          Objects <small>{listed.length}</small>
        </h2>
        <ObjectList items={listed} selected={selected} onSelect={select} />
      </section>
      {selected && <ObjectDetails item={selected} />}
      {issues.length > 0 && (
        <section>
          <h2>
            Issues <small>{issues.length}</small>
          </h2>
          <ul>
            {issues.map(({ id, resolved, comments }) => (
              <li key={id}>
                Issue {id}: {resolved ? 'resolved' : 'open'}, {comments.count}{' '}
                {comments.count === 1 ? 'comment' : 'comments'}
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  )
}

interface LabelFilterProps {
  /** Objects of the frame, including hidden ones. */
  items: readonly FrameObject[]
  labels: readonly Label[]
  settings: ViewerSettings
}

function LabelFilter({ items, labels, settings: { hidden, setHidden } }: LabelFilterProps) {
  const counts = useMemo(() => countsOf(items), [items])
  const show = (id: number, isShown: boolean) =>
    setHidden(isShown ? [...hidden].filter((one) => one !== id) : [...hidden, id])
  return (
    <section>
      <h2>Labels</h2>
      <div className="label-filter">
        {labels.map(({ id, name, color }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={!hidden.has(id)}
              onChange={({ target }) => show(id, target.checked)}
            />
            <Swatch color={color} />
            <span className="label-name">{name}</span>
            <small>{counts.get(id) ?? 0}</small>
          </label>
        ))}
      </div>
      {labels.length > 1 && (
        <div className="actions">
          <button type="button" disabled={hidden.size === 0} onClick={() => setHidden([])}>
            Show all
          </button>
          <button type="button" onClick={() => setHidden(labels.map(({ id }) => id))}>
            Hide all
          </button>
        </div>
      )}
    </section>
  )
}

function countsOf(items: readonly FrameObject[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { label_id } of items) counts.set(label_id, (counts.get(label_id) ?? 0) + 1)
  return counts
}

const kinds = { tags: 'tag', shapes: 'shape', tracks: 'track' } as const

function ObjectDetails({ item }: { item: FrameObject }) {
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

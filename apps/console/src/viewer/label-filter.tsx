import type { Label } from '@reticle/sdk'
import { useMemo } from 'react'
import { Swatch } from '../ui/swatch.tsx'
import type { FrameObject } from './frame/item.ts'
import type { ViewerSettings } from './settings.ts'

interface Props {
  /** Objects of the frame, including hidden ones. */
  items: readonly FrameObject[]
  labels: readonly Label[]
  settings: ViewerSettings
}

/** Renders a filter for the visible labels. */
export function LabelFilter({ items, labels, settings: { hidden, setHidden } }: Props) {
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

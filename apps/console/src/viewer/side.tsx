import type { Issue, Label } from '@reticle/sdk'
import { LabelFilter } from './label-filter.tsx'
import { ObjectDetails } from './object-details.tsx'
import { ObjectList } from './object-list.tsx'
import type { ViewerSettings } from './settings.ts'
import type { useObjects } from './use-objects.ts'

interface Props {
  objects: ReturnType<typeof useObjects>
  labels: readonly Label[]
  settings: ViewerSettings
  issues: readonly Issue[]
}

/** Renders the side bar with the labels, objects, tags and issues of the frame. */
export function Side({ objects, labels, settings, issues }: Props) {
  const { all, listed, selected, select } = objects
  return (
    <aside className="viewer-side" aria-label="What is on the frame">
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

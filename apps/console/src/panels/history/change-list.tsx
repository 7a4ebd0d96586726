import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { type ObjectChange, typeOf } from './changes.ts'

interface Props {
  task: number
  job: number
  changes: readonly ObjectChange[]
}

/** Maximum number of listed objects. */
const shown = 300

/** Lists changed objects with links to their frames. */
export function ChangeList({ task, job, changes }: Props) {
  const { data } = useAnswer(api.listLabels, { job_id: job, page_size: 500 })
  const names = new Map(data?.results.map(({ id, name }) => [id, name]))
  if (changes.length === 0) return <p>Nothing is different from the revision before.</p>
  return (
    <>
      <ul className="changes">
        {changes.slice(0, shown).map((change) => {
          const { did, object, members } = change
          const { id, frame, label_id } = object
          return (
            <li key={`${did} ${change.kind} ${id}`}>
              <span className={`did ${did}`}>{did}</span> {typeOf(change)}{' '}
              <strong>{names.get(label_id) ?? `label ${label_id}`}</strong> on{' '}
              <Link href={`/tasks/${task}/frames/${frame}`}>frame {frame}</Link>
              {members.length > 0 && <span className="hint">: {members.join(', ')}</span>}
            </li>
          )
        })}
      </ul>
      {changes.length > shown && (
        <p className="hint">and {(changes.length - shown).toLocaleString()} more</p>
      )}
    </>
  )
}

import type { Label, Project } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Failure } from '../ui/failure.tsx'
import { Swatch } from '../ui/swatch.tsx'
import { noLabels, toLabelWrites } from './draft.ts'
import { LabelDialog } from './label-dialog.tsx'
import { NamesField } from './names-field.tsx'

/** Lists the labels of a project, which can be changed, and adds new ones. */
export function ProjectLabels({ project: { id, labels } }: { project: Project }) {
  const [chosen, setChosen] = useState<number>()
  const shown = labels.find((label) => label.id === chosen)
  return (
    <section className="project-labels" aria-label="Labels">
      <div className="head">
        <h2>Labels</h2>
      </div>
      <Chips labels={labels} onChoose={setChosen} />
      <AddLabels projectId={id} />
      {shown && <LabelDialog label={shown} onClose={() => setChosen(undefined)} />}
    </section>
  )
}

const shownAtFirst = 100

function Chips({ labels, onChoose }: { labels: Label[]; onChoose: (id: number) => void }) {
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? labels : labels.slice(0, shownAtFirst)
  if (labels.length === 0) return null
  return (
    <ul className="label-chips">
      {shown.map((label) => (
        <li key={label.id}>
          <Chip label={label} onChoose={() => onChoose(label.id)} />
        </li>
      ))}
      {shown.length < labels.length && (
        <li>
          <button type="button" onClick={() => setIsWhole(true)}>
            all {labels.length}
          </button>
        </li>
      )}
    </ul>
  )
}

function Chip({ label, onChoose }: { label: Label; onChoose: () => void }) {
  const { name, color, type } = label
  return (
    <button type="button" title="Change this label" onClick={onChoose}>
      <Swatch color={color} />
      {name}
      {type !== 'any' && <small>{type}</small>}
    </button>
  )
}

/** Renders a form to add labels; the service chooses unused colours. */
function AddLabels({ projectId }: { projectId: number }) {
  const [typed, setTyped] = useState('')
  const { mutate, error } = useChange(
    (text: string) => {
      const labels = toLabelWrites({ ...noLabels, typed: text }).map(({ name }) => ({ name }))
      return api.updateProject({ id: projectId, body: { labels } })
    },
    () => setTyped(''),
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate(typed)
      }}
    >
      <NamesField typed={typed} errors={[]} onType={setTyped} onEnter={mutate} />
      {error && <Failure error={error} />}
    </form>
  )
}

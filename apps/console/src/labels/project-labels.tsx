import type { Label, Project } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/feedback.tsx'
import { errorsOf } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'
import { Swatch } from '../ui/values.tsx'
import { type EditedLabel, noLabels, toEditedLabel, toLabelWrite, toLabelWrites } from './draft.ts'
import { LabelFields } from './label-fields.tsx'
import { NamesField } from './labels-editor.tsx'

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

interface LabelDialogProps {
  label: Label
  onClose: () => void
}

function LabelDialog({ label, onClose }: LabelDialogProps) {
  const [draft, setDraft] = useState(() => toEditedLabel(label))
  const [isRemoving, setIsRemoving] = useState(false)
  const { mutate, error, isPending } = useLabelChange(label, onClose)
  if (isRemoving) return <RemoveLabel label={label} onClose={onClose} />
  return (
    <Dialog title={`Label ${label.name}`} onClose={onClose}>
      <form
        className="label-form"
        onSubmit={(event) => {
          event.preventDefault()
          mutate(draft)
        }}
      >
        <LabelFields label={draft} onChange={setDraft} errorsAt={errorsOf(error)} />
        {error && <Failure error={error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={isPending}>
            Save
          </button>
          <button type="button" className="danger" onClick={() => setIsRemoving(true)}>
            Remove the label
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Saves a label. Name, colour and type can be undone; changes of attributes cannot. */
function useLabelChange({ id, name, color, type }: Label, onClose: () => void) {
  const toast = useToast()
  return useChange(async (draft: EditedLabel) => {
    await api.updateLabel({ id, body: bodyOf(draft) })
    onClose()
    toast({
      text: `The label ${draft.name} was changed.`,
      undo: async () => {
        await api.updateLabel({ id, body: bodyOf({ ...draft, name, color, type, attributes: [] }) })
        await queries.invalidateQueries()
      },
    })
  })
}

/** The drawing of a skeleton is not changed. */
function bodyOf(draft: EditedLabel) {
  const { name, color, type, attributes } = toLabelWrite(draft)
  return { name, color, type, attributes }
}

function RemoveLabel({ label: { id, name }, onClose }: LabelDialogProps) {
  const toast = useToast()
  return (
    <Confirm
      title="Remove this label?"
      word={name}
      action="Remove the label"
      onConfirm={async () => {
        await api.deleteLabel({ id })
        toast({ text: `The label ${name} was removed.` })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>All annotations with this label are deleted as well. This cannot be undone.</p>
    </Confirm>
  )
}

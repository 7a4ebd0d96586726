import type { Label } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { useToast } from '../ui/toasts.tsx'
import { type EditedLabel, toEditedLabel, toLabelWrite } from './draft.ts'
import { errorsOf } from './errors.ts'
import { LabelFields } from './label-fields.tsx'

interface Props {
  label: Label
  onClose: () => void
}

/** Renders a dialog to change or delete a label. */
export function LabelDialog({ label, onClose }: Props) {
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

function RemoveLabel({ label: { id, name }, onClose }: Props) {
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
      <p>Everything that was annotated with it goes as well. This cannot be undone.</p>
    </Confirm>
  )
}

import { queries } from '../api/queries.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useToast } from '../ui/toasts.tsx'

interface Props {
  title: string
  name: string
  rename: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Renders a dialog to rename an object; the change can be undone. */
export function RenameDialog({ title, name, rename, onClose }: Props) {
  const toast = useToast()
  const call = (newName: string) => rename(newName).then(() => queries.invalidateQueries())
  const send = async (form: FormData) => {
    const newName = formText(form, 'name')
    await call(newName)
    toast({ text: `It is called ${newName} now.`, undo: () => call(name) })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <ChangeForm action="Rename" onSend={send} onDone={onClose}>
        <Field label="Name" name="name" required autoFocus defaultValue={name} />
      </ChangeForm>
    </Dialog>
  )
}

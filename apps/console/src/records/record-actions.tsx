import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../api/queries.ts'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { ChangeForm, Field, formText } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'

interface Props {
  /** Kind of object in words: `project`. */
  what: string
  name: string
  rename: (name: string) => Promise<unknown>
  remove: () => Promise<unknown>
  /** Path of the list to open after the deletion. */
  list: string
  /** Text about other objects that are deleted as well. */
  children: ReactNode
}

/** Renders the buttons to rename an object, which can be undone, and to delete it, which cannot. */
export function RecordActions({ what, name, rename, remove, list, children }: Props) {
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const [, go] = useLocation()
  const toast = useToast()
  const close = () => setOpen(undefined)
  const end = async () => {
    await remove()
    go(list)
    toast({ text: `${name} was deleted.` })
    await queries.invalidateQueries()
  }
  return (
    <>
      <button type="button" onClick={() => setOpen('rename')}>
        Rename
      </button>
      <button type="button" className="danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'rename' && (
        <RenameDialog title={`Rename the ${what}`} name={name} rename={rename} onClose={close} />
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete this ${what}?`}
          word={name}
          action={`Delete the ${what}`}
          onConfirm={end}
          onClose={close}
        >
          {children}
        </Confirm>
      )}
    </>
  )
}

interface RenameDialogProps {
  title: string
  name: string
  rename: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Renders a dialog to rename an object; the change can be undone. */
function RenameDialog({ title, name, rename, onClose }: RenameDialogProps) {
  const toast = useToast()
  const call = (newName: string) => rename(newName).then(() => queries.invalidateQueries())
  const send = async (form: FormData) => {
    const newName = formText(form, 'name')
    await call(newName)
    toast({ text: `Renamed to ${newName}.`, undo: () => call(name) })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <ChangeForm action="Rename" onSend={send} onDone={onClose}>
        <Field label="Name" name="name" required autoFocus defaultValue={name} />
      </ChangeForm>
    </Dialog>
  )
}

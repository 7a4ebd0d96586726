import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { useToast } from '../ui/toasts.tsx'
import { RenameDialog } from './rename-dialog.tsx'

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
export function Manage({ what, name, rename, remove, list, children }: Props) {
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

import type { Task } from '@reticle/sdk'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Transfers } from '../transfers/transfers.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { RenameDialog } from '../ui/rename-dialog.tsx'
import { useToast } from '../ui/toasts.tsx'

/** What can be done with a task. */
export function TaskActions({ task: { id, name, size } }: { task: Task }) {
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      {size === 0 ? (
        <Link className="button primary" href={`/tasks/new?task=${id}`}>
          Send its files
        </Link>
      ) : (
        <Transfers kind="task" id={id} name={name} />
      )}
      <button type="button" onClick={() => setOpen('rename')}>
        Rename
      </button>
      <button type="button" className="danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'rename' && (
        <RenameDialog
          title="Rename the task"
          name={name}
          rename={(wanted) => api.updateTask({ id, body: { name: wanted } })}
          onClose={close}
        />
      )}
      {open === 'delete' && <DeleteTask id={id} name={name} onClose={close} />}
    </>
  )
}

interface Props {
  id: number
  name: string
  onClose: () => void
}

function DeleteTask({ id, name, onClose }: Props) {
  const [, go] = useLocation()
  const toast = useToast()
  return (
    <Confirm
      title="Delete this task?"
      word={name}
      action="Delete the task"
      onConfirm={async () => {
        await api.deleteTask({ id })
        go('/tasks')
        toast({ text: `${name} was deleted.` })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>Its frames, jobs and annotations go with it. This cannot be undone.</p>
    </Confirm>
  )
}

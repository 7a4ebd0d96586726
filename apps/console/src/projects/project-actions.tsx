import type { Project } from '@reticle/sdk'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Transfers } from '../transfers/transfers.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { RenameDialog } from '../ui/rename-dialog.tsx'
import { useToast } from '../ui/toasts.tsx'

/** What can be done with a project. */
export function ProjectActions({ project }: { project: Project }) {
  const { id, name } = project
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Link className="button" href={`/projects/${id}/statistics`}>
        Statistics
      </Link>
      <Link className="button" href={`/projects/${id}/guide`}>
        Guide
      </Link>
      <Link className="button" href={`/webhooks?project_id=${id}`}>
        Webhooks
      </Link>
      <Transfers kind="project" id={id} name={name} />
      <button type="button" onClick={() => setOpen('rename')}>
        Rename
      </button>
      <button type="button" className="danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'rename' && (
        <RenameDialog
          title="Rename the project"
          name={name}
          rename={(wanted) => api.updateProject({ id, body: { name: wanted } })}
          onClose={close}
        />
      )}
      {open === 'delete' && <DeleteProject project={project} onClose={close} />}
    </>
  )
}

interface Props {
  project: Project
  onClose: () => void
}

function DeleteProject({ project: { id, name, tasks }, onClose }: Props) {
  const [, go] = useLocation()
  const toast = useToast()
  return (
    <Confirm
      title="Delete this project?"
      word={name}
      action="Delete the project"
      onConfirm={async () => {
        await api.deleteProject({ id })
        go('/projects')
        toast({ text: `${name} was deleted.` })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>
        Its labels go, and so do its {tasks.count} tasks with their frames and annotations. This
        cannot be undone.
      </p>
    </Confirm>
  )
}

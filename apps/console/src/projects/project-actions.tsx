import type { Project } from '@reticle/sdk'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { useToast } from '../ui/toasts.tsx'
import { RenameProject } from './rename-project.tsx'

/** What can be done with a project. */
export function ProjectActions({ project }: { project: Project }) {
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Link className="button" href={`/projects/${project.id}/statistics`}>
        Statistics
      </Link>
      <button type="button" onClick={() => setOpen('rename')}>
        Rename
      </button>
      <button type="button" className="danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'rename' && <RenameProject project={project} onClose={close} />}
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

import type { AnnotationRevision } from '@reticle/sdk'
import { useState } from 'react'
import { ChangesDialog } from './changes-dialog.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

interface Props {
  task: number
  revision: AnnotationRevision
}

/** Renders the buttons for the actions on a revision. */
export function RevisionActions({ task, revision }: Props) {
  const [open, setOpen] = useState<'changes' | 'restore'>()
  const close = () => setOpen(undefined)
  const name = `revision ${revision.revision} of job ${revision.job_id}`
  return (
    <>
      <button
        type="button"
        className="plain link"
        aria-label={`Changes of ${name}`}
        onClick={() => setOpen('changes')}
      >
        Changes
      </button>{' '}
      {revision.readable ? (
        <button
          type="button"
          className="plain link"
          aria-label={`Restore ${name}`}
          onClick={() => setOpen('restore')}
        >
          Restore
        </button>
      ) : (
        <span className="hint">not kept</span>
      )}
      {open === 'changes' && <ChangesDialog task={task} revision={revision} onClose={close} />}
      {open === 'restore' && <RestoreDialog revision={revision} onClose={close} />}
    </>
  )
}

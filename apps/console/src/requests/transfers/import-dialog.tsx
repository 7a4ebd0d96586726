import type { Format } from '@reticle/sdk'
import { useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { TransferTarget } from './calls.ts'
import { useFollowedRequest } from './followed-request.ts'
import { useFormats } from './formats.ts'
import { ImportForm } from './import-form.tsx'
import { Progress } from './progress.tsx'

/** Renders a dialog to import annotations from a file; in a project also new tasks with their images. */
export function ImportDialog({ target, onClose }: { target: TransferTarget; onClose: () => void }) {
  const { importers, error } = useFormats(target)
  return (
    <Dialog title={`Import into ${target.name}`} onClose={onClose}>
      {error && <Failure error={error} />}
      {!importers && !error && <Loading />}
      {importers && <Import target={target} formats={importers} />}
    </Dialog>
  )
}

function Import({ target, formats }: { target: TransferTarget; formats: readonly Format[] }) {
  const work = useFollowedRequest()
  const [isDry, setIsDry] = useState(false)
  const done = isDry
    ? 'This was a dry run: nothing was written. So would it be:'
    : 'It is imported.'
  return (
    <>
      {target.kind === 'project' && (
        <p className="hint">
          A data set with its images becomes new tasks, one for each of its subsets.
        </p>
      )}
      <ImportForm target={target} formats={formats} work={work} onStart={setIsDry} />
      <Progress work={work} done={done} />
    </>
  )
}

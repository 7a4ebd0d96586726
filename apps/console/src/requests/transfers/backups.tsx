import { useState } from 'react'
import { useOrganization } from '../../api/organization.tsx'
import { sharedUploadStore } from '../../api/upload-store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DropFile } from '../../ui/drop.tsx'
import { formText } from '../../ui/form.tsx'
import { backups } from './calls.ts'
import { Progress, useFollowedRequest } from './followed-request.tsx'
import './transfers.css'

interface Props {
  kind: 'project' | 'task'
  id: number
  name: string
  onClose: () => void
}

export function BackupDialog({ kind, id, name, onClose }: Props) {
  const work = useFollowedRequest()
  return (
    <Dialog title={`Back up ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const lightweight = formText(new FormData(event.currentTarget), 'size') === 'light'
          work.begin(({ signal }) => backups[kind].make({ id, lightweight }, { signal }))
        }}
      >
        <p>The backup contains annotations, labels, jobs, settings and media.</p>
        <fieldset className="options">
          <legend>Media in buckets</legend>
          <label>
            <input type="radio" name="size" value="full" defaultChecked /> Full{' '}
            <span className="hint">copied into the archive</span>
          </label>
          <label>
            <input type="radio" name="size" value="light" /> Light{' '}
            <span className="hint">stays in the bucket and is read from there</span>
          </label>
        </fieldset>
        <button type="submit" className="primary" disabled={work.isBusy}>
          Back up
        </button>
      </form>
      <Progress work={work} />
    </Dialog>
  )
}

/** Renders a button to restore a backup as a new project or task in the selected workspace. */
export function Restore({ kind }: { kind: 'project' | 'task' }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Restore a backup
      </button>
      {isOpen && <RestoreDialog kind={kind} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function RestoreDialog({ kind, onClose }: { kind: 'project' | 'task'; onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const { organization } = useOrganization()
  const work = useFollowedRequest()
  return (
    <Dialog title={`Restore a ${kind} from a backup`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!file) return
          const sent = {
            store: sharedUploadStore,
            ...(organization !== undefined && { organization }),
          }
          work.begin((options) => backups[kind].restore({}, file, { ...sent, ...options }))
        }}
      >
        <p>The backup is restored as a new {kind}. Nothing else changes.</p>
        <DropFile label="Backup" accept=".zip" file={file} onFile={setFile} />
        <button type="submit" className="primary" disabled={!file || work.isBusy}>
          Restore
        </button>
      </form>
      <Progress work={work} />
    </Dialog>
  )
}

import { useState } from 'react'
import { useOrganization } from '../../api/organization.tsx'
import { sharedUploadStore } from '../../api/upload-store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { backups } from './calls.ts'
import { DropFile } from './drop-file.tsx'
import { useFollowedRequest } from './followed-request.ts'
import { Progress } from './progress.tsx'
import './transfers.css'

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
        <p>A new {kind} is made of it; nothing that is there changes.</p>
        <DropFile label="Backup" accept=".zip" file={file} onFile={setFile} />
        <button type="submit" className="primary" disabled={!file || work.isBusy}>
          Restore
        </button>
      </form>
      <Progress work={work} />
    </Dialog>
  )
}

import { useState } from 'react'
import { BackupDialog } from './backups.tsx'
import type { TransferTarget } from './calls.ts'
import { ExportDialog } from './export-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import './transfers.css'

type Action = 'import' | 'export' | 'backup'

/** Renders the buttons for import, export and backup in the header of a page. */
export function Transfers({ kind, id, name }: TransferTarget) {
  const [shown, setShown] = useState<Action>()
  const close = () => setShown(undefined)
  const target = { kind, id, name }
  return (
    <fieldset className="transfers">
      <legend className="hidden">Files</legend>
      <button type="button" onClick={() => setShown('import')}>
        Import
      </button>
      <button type="button" onClick={() => setShown('export')}>
        Export
      </button>
      {kind !== 'job' && (
        <button type="button" onClick={() => setShown('backup')}>
          Back up
        </button>
      )}
      {shown === 'import' && <ImportDialog target={target} onClose={close} />}
      {shown === 'export' && <ExportDialog target={target} onClose={close} />}
      {shown === 'backup' && kind !== 'job' && (
        <BackupDialog kind={kind} id={id} name={name} onClose={close} />
      )}
    </fieldset>
  )
}

import { exportBackup } from '../backups/export-backup.ts'
import { withFirstChunk } from '../chunks/first.ts'
import { exportDataset } from '../exporting/export-dataset.ts'
import { exportEvents } from '../exporting/export-events.ts'
import { importAnnotations } from '../importing/import-annotations.ts'
import { importDataset } from '../importing/import-dataset.ts'
import { deliverExport } from '../locations/deliver.ts'
import type { OperationOutcome, RequestWork } from '../requests/work.ts'
import { importBackup } from '../restoring/import-backup.ts'
import type { OperationDeps } from './operation.ts'
import { prepareMedia } from './prepare-media.ts'

/** Runs the operation of a request once. When it throws, it has had no visible effect. */
export async function runOperation(
  work: RequestWork,
  deps: OperationDeps,
): Promise<OperationOutcome> {
  if ('subresource' in work)
    return work.action === 'export'
      ? deliverExport(work, deps, (own) => exportBackup(work, own))
      : importBackup(work, deps)
  switch (work.action) {
    case 'export':
      return deliverExport(work, deps, (own) =>
        work.target === 'events' ? exportEvents(work, own) : exportDataset(work, own),
      )
    case 'import':
      return work.target === 'project' ? importDataset(work, deps) : importAnnotations(work, deps)
    case 'create':
      return withFirstChunk(work, deps, await prepareMedia(work, deps))
  }
}

import { exportBackup } from '../backups/export-backup.ts'
import { importBackup } from '../backups/import-backup.ts'
import { exportDataset } from '../exports/export-dataset.ts'
import { exportEvents } from '../exports/export-events.ts'
import { importAnnotations } from '../imports/import-annotations.ts'
import { importDataset } from '../imports/import-dataset.ts'
import { deliverExport } from '../operations/deliver-export.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { withFirstChunk } from '../operations/prepare/first-chunk.ts'
import { prepareMedia } from '../operations/prepare/prepare-media.ts'
import type { OperationOutcome, RequestWork } from '../work/request-work.ts'

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

import type { storages } from '@reticle/contracts/api/storages'
import { type Service, signedIn } from '@reticle/kit'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { listStoragesOf, storageOf } from './repo.ts'

/** Builds the handler of the storages of projects and tasks, which exports and imports use by default. */
export function defaultStorageHandlers({
  db,
}: {
  db: Kysely<ProjectsDb>
}): Pick<Service<typeof storages>, 'findDefaultStorages'> {
  return {
    async findDefaultStorages(target, context) {
      const { project_id, task_id } = await authorizeTarget(db, signedIn(context), target, 'view')
      const owner =
        task_id === null
          ? ({ kind: 'project', id: project_id ?? 0 } as const)
          : ({ kind: 'task', id: task_id } as const)
      const found = await listStoragesOf(db, [owner])
      return {
        source_storage: storageOf(found, owner, 'source'),
        target_storage: storageOf(found, owner, 'target'),
      }
    },
  }
}

import type { tasks } from '@reticle/contracts/api/tasks'
import { type Service, signedIn } from '@reticle/kit'
import { joinTexts } from '@reticle/kit/call/pieces'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { backupLinesOf } from './describe.ts'
import { type RestoreSettings, restoreTask } from './restore.ts'

export interface BackupDeps {
  db: Kysely<ProjectsDb>
  /** Connection pool of transactions that last as long as a stream of frames; default: `db`. */
  bulk?: Kysely<ProjectsDb> | undefined
  settings: RestoreSettings
}

type Handlers = Pick<Service<typeof tasks>, 'describeBackup' | 'restoreTask'>

/** Builds the handlers that read and restore the rows of backups. jobs-svc reads and writes the archives. */
export function backupHandlers({ db, bulk = db, settings }: BackupDeps): Handlers {
  return {
    async describeBackup(target, context) {
      await authorizeTarget(db, signedIn(context), target, 'export')
      const chunks = joinTexts(backupLinesOf(db, target))
      return { head: { type: 'application/x-ndjson' }, chunks }
    },

    async restoreTask(input, context) {
      const restored = bulk.transaction().execute((tx) => restoreTask(tx, input, settings, context))
      return { job_ids: await restored }
    },
  }
}

import type { tasks } from '@reticle/contracts/api/tasks'
import { type Service, signedIn } from '@reticle/kit'
import { joinTexts } from '@reticle/kit/pieces'
import type { Kysely } from 'kysely'
import { permitted } from '../authorize.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { backupLinesOf } from './describe.ts'

export interface BackupDeps {
  db: Kysely<ProjectsDb>
}

/** What backups are made of, and what becomes of them (`spec/api-workspace.md` 7); the archives are the affair of jobs-svc. */
export function backupHandlers({ db }: BackupDeps): Pick<Service<typeof tasks>, 'describeBackup'> {
  return {
    async describeBackup(target, context) {
      await permitted(db, signedIn(context), target, 'export')
      const chunks = joinTexts(backupLinesOf(db, target))
      return { head: { type: 'application/x-ndjson' }, chunks }
    },
  }
}

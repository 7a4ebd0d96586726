import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Where a job lies is asked of projects-svc at each call: nobody reads these columns, nor `project_id`, `organization_id`
 * and their index. All of them go in the next release.
 */
const statements: readonly string[] = [
  `alter table jobs
    alter column start_frame drop not null,
    alter column stop_frame drop not null`,
]

export const jobPlace: Step = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

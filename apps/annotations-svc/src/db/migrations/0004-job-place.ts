import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Makes the frame range of a job optional, because projects-svc supplies it with each call. These columns,
 * `project_id`, `organization_id` and their index are unused and to be dropped in the next release.
 */
const statements: readonly string[] = [
  `alter table jobs
    alter column start_frame drop not null,
    alter column stop_frame drop not null`,
]

export const jobPlace: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

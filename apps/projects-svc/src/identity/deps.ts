import type { Clock } from '@reticle/kit/clock'
import type { Kysely } from 'kysely'
import type { ProjectsSettings } from '../config.ts'
import type { ProjectsDb } from '../db/schema.ts'

export type IdentitySettings = ProjectsSettings['identity']

export interface IdentityDeps {
  db: Kysely<ProjectsDb>
  clock: Clock
  settings: IdentitySettings
}

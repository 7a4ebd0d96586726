import type { Clock } from '@reticle/kit/clock'
import type { Kysely } from 'kysely'
import type { ProjectsSettings } from '../config.ts'
import type { ProjectsDb } from '../db/schema.ts'
import type { Mailer } from './mail/mailer.ts'

export type IdentitySettings = ProjectsSettings['identity']

export interface IdentityDeps {
  db: Kysely<ProjectsDb>
  clock: Clock
  settings: IdentitySettings
  /** Absent: this installation sends no mails. */
  mailer?: Mailer
  /** Told of mails that could not be handed over. */
  onMailLost?: (thrown: unknown) => void
}

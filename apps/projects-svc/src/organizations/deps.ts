import type { Clock } from '@reticle/kit/clock'
import type { Logger } from '@reticle/kit/log'
import type { Cause } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsSettings } from '../config.ts'
import type { ProjectsDb } from '../db/schema.ts'
import type { Mailer } from '../identity/index.ts'

export type Db = Kysely<ProjectsDb>
export type Tx = Transaction<ProjectsDb>
export type OrganizationSettings = ProjectsSettings['organizations']

/** What belongs to organizations outside of this room. */
export interface OrganizationObjects {
  /** Gives all of an organization to its owners. */
  release(tx: Tx, organization_id: number, cause: Cause): Promise<void>
  /** Removes all of an organization. */
  remove(tx: Tx, organization_id: number, cause: Cause): Promise<void>
  /** Takes from a person what they are assigned to in an organization. */
  unassign(tx: Tx, of: { organization_id: number; user_id: number }, cause: Cause): Promise<void>
}

export interface OrganizationDeps {
  db: Db
  clock: Clock
  log: Logger
  settings: OrganizationSettings
  objects: OrganizationObjects
  /** Absent: this installation sends no mails. */
  mailer?: Mailer
  /** Told of mails that could not be handed over. */
  onMailLost?: (thrown: unknown) => void
}

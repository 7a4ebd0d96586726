import type { Logger } from '@reticle/kit/observe/log'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import type { Mailer } from '../identity/index.ts'

export type Db = Kysely<ProjectsDb>
export type Tx = Transaction<ProjectsDb>
export interface OrganizationSettings {
  /** Lowest global role that may create an organization. */
  minRole: 'admin' | 'user' | 'worker'
  /** Days after its sending in which an invitation can be accepted. */
  invitationExpiryDays: number
  /** Whether an invited user with an account has to confirm before becoming a member. */
  invitationConfirm: boolean
  /** URL of the pages in links. */
  uiUrl: string
}

/** Functions that change objects of an organization outside this folder. */
export interface OrganizationObjects {
  /** Moves all objects of an organization to their owners. */
  release(tx: Tx, organization_id: number, cause: EventCause): Promise<void>
  /** Deletes all objects of an organization. */
  remove(tx: Tx, organization_id: number, cause: EventCause): Promise<void>
  /** Removes a user from all assignments in an organization. */
  unassign(
    tx: Tx,
    of: { organization_id: number; user_id: number },
    cause: EventCause,
  ): Promise<void>
}

export interface OrganizationDeps {
  db: Db
  clock: Clock
  log: Logger
  settings: OrganizationSettings
  objects: OrganizationObjects
  /** Absent: this installation sends no mails. */
  mailer?: Mailer
  /** Called with the error of a mail that could not be delivered to the server. */
  onMailLost?: (thrown: unknown) => void
}

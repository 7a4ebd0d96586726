import type { Clock } from '@reticle/kit/clock'
import type { Cause } from '@reticle/kit/outbox/emit'
import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { ProjectsSettings } from '../config.ts'
import type { ProjectsDb } from '../db/schema.ts'
import type { Mailer } from './mail/mailer.ts'

export type IdentitySettings = ProjectsSettings['identity']

/** What organizations know of users. Their room stands on this one, so it is handed in. */
export interface Memberships {
  /** Ids of the active members of an organization, as SQL. */
  membersOf(organization_id: number): RawBuilder<number>
  isMember(db: Kysely<ProjectsDb>, organization_id: number, user_id: number): Promise<boolean>
  /** Holds every organization that a user is in against changes; before the row of the user is locked. */
  lockAll(tx: Transaction<ProjectsDb>, user_id: number): Promise<void>
  /** Withdraws the invitations of a user that are not accepted: they were sent to an address that is no longer theirs. */
  withdrawReceived(tx: Transaction<ProjectsDb>, user_id: number, cause: Cause): Promise<void>
  /** Withdraws the open invitations that a user sent into any organization. */
  withdrawSent(tx: Transaction<ProjectsDb>, user_id: number, cause: Cause): Promise<void>
  /**
   * Takes a user out of every organization, also of those that only asked.
   *
   * @throws DomainError conflict when they own one
   */
  leaveAll(tx: Transaction<ProjectsDb>, user_id: number, cause: Cause): Promise<void>
}

export interface IdentityDeps {
  db: Kysely<ProjectsDb>
  clock: Clock
  settings: IdentitySettings
  memberships: Memberships
  /** Absent: this installation sends no mails. */
  mailer?: Mailer
  /** Told of mails that could not be handed over. */
  onMailLost?: (thrown: unknown) => void
}

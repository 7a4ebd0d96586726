import type { Principal } from '@reticle/contracts/rest/principal'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import type { Mailer } from './mail/mailer.ts'

export interface IdentitySettings {
  /** Limit on usable access tokens of a user; -1: no limit. */
  maxAccessTokens: number
  /** Days without use after which an access token is rejected. */
  accessTokenStaleDays: number
  /** Whether people without an account may register. */
  registration: boolean
  /** Global role of a registered user; null: signed in, but without permissions. */
  defaultRole: Principal['role']
  /** Whether signing in by password needs a verified e-mail. */
  emailVerification: 'none' | 'mandatory'
  /** URL of this server in mails, without a trailing slash. */
  publicUrl: string
  /** URL of the pages in mails, without a trailing slash. */
  uiUrl: string
}

/** Functions of organizations that identity needs. They are passed in, because organizations import this folder. */
export interface Memberships {
  /** Returns the ids of the active members of an organization, as SQL. */
  membersOf(organization_id: number): RawBuilder<number>
  isMember(db: Kysely<ProjectsDb>, organization_id: number, user_id: number): Promise<boolean>
  /** Locks every organization of a user. Call it before the row of the user is locked. */
  lockAll(tx: Transaction<ProjectsDb>, user_id: number): Promise<void>
  /**
   * Withdraws the unaccepted invitations of a user, because the user no longer has the address that they were sent
   * to.
   */
  withdrawReceived(tx: Transaction<ProjectsDb>, user_id: number, cause: EventCause): Promise<void>
  /** Withdraws the open invitations that a user sent, in all organizations. */
  withdrawSent(tx: Transaction<ProjectsDb>, user_id: number, cause: EventCause): Promise<void>
  /**
   * Removes a user from every organization, including those with an open invitation.
   *
   * @throws DomainError conflict when they own one
   */
  leaveAll(tx: Transaction<ProjectsDb>, user_id: number, cause: EventCause): Promise<void>
}

export interface IdentityDeps {
  db: Kysely<ProjectsDb>
  clock: Clock
  settings: IdentitySettings
  memberships: Memberships
  /** Absent: this installation sends no mails. */
  mailer?: Mailer
  /** Called with the error of a mail that could not be delivered to the server. */
  onMailLost?: (thrown: unknown) => void
}

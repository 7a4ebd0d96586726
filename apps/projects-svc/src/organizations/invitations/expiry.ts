import type { OrganizationSettings } from '../deps.ts'
import type { InvitationView } from './repo.ts'

const dayMs = 86_400_000

/** What decides how long an invitation lives: from its sending on (`spec/api-workspace.md` 3.3). */
export interface Expiry {
  now: Date
  days: OrganizationSettings['invitationExpiryDays']
}

/** Null: it was never sent. One that was accepted does not expire. */
export function isExpired(
  { sent_date, accepted }: Pick<InvitationView, 'sent_date' | 'accepted'>,
  { now, days }: Expiry,
): boolean | null {
  if (sent_date === null) return null
  return !accepted && now.getTime() >= sent_date.getTime() + days * dayMs
}

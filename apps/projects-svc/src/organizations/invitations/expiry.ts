import type { OrganizationSettings } from '../deps.ts'
import type { InvitationView } from './repo.ts'

const dayMs = 86_400_000

/** Time and setting that decide whether an invitation is expired, counted from its sending. */
export interface Expiry {
  now: Date
  days: OrganizationSettings['invitationExpiryDays']
}

/** Returns whether an invitation is expired; null: it was never sent. An accepted one does not expire. */
export function isExpired(
  { sent_date, accepted }: Pick<InvitationView, 'sent_date' | 'accepted'>,
  { now, days }: Expiry,
): boolean | null {
  if (sent_date === null) return null
  return !accepted && now.getTime() >= sent_date.getTime() + days * dayMs
}

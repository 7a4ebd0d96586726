import { z } from 'zod'
import { invitation, membership, organization } from '../rest/organizations.ts'
import { defineEvent } from './define.ts'

const key = (data: { organization: { id: number } }) => `org:${data.organization.id}`
const membershipKey = (data: { membership: { organization: number } }) =>
  `org:${data.membership.organization}`
const invitationKey = (data: { invitation: { organization: number } }) =>
  `org:${data.invitation.organization}`

export const organizationCreated = defineEvent('create:organization', {
  key,
  data: z.object({ organization }),
})
export const organizationUpdated = defineEvent('update:organization', {
  key,
  data: z.object({ organization, before_update: organization.partial() }),
})
/** The record as it was. Emitted before anything that hung on it goes. */
export const organizationDeleted = defineEvent('delete:organization', {
  key,
  data: z.object({ organization }),
})

/** A membership has become active. */
export const membershipCreated = defineEvent('create:membership', {
  key: membershipKey,
  data: z.object({ membership }),
})
export const membershipUpdated = defineEvent('update:membership', {
  key: membershipKey,
  data: z.object({ membership, before_update: membership.partial() }),
})
/** Of an active one. */
export const membershipDeleted = defineEvent('delete:membership', {
  key: membershipKey,
  data: z.object({ membership }),
})

/** Without its key, by which one joins (`spec/api-annotations.md` 4.4). */
const announced = invitation.omit({ key: true })

export const invitationCreated = defineEvent('create:invitation', {
  key: invitationKey,
  data: z.object({ invitation: announced }),
})
/** It can be accepted no more: it was, or it was declined or taken back. */
export const invitationDeleted = defineEvent('delete:invitation', {
  key: invitationKey,
  data: z.object({
    invitation: announced,
    reason: z.enum(['accepted', 'declined', 'revoked']),
  }),
})

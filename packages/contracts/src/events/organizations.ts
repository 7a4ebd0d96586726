import { z } from 'zod'
import { invitation, membership, organization } from '../rest/organizations.ts'
import { defineEvent } from './define.ts'

const ofOrganization = {
  key: (data: { organization: { id: number } }) => `org:${data.organization.id}`,
  organization: (data: { organization: { id: number } }) => data.organization.id,
}
const ofMembership = {
  key: (data: { membership: { organization: number } }) => `org:${data.membership.organization}`,
  organization: (data: { membership: { organization: number } }) => data.membership.organization,
}
const ofInvitation = {
  key: (data: { invitation: { organization: number } }) => `org:${data.invitation.organization}`,
  organization: (data: { invitation: { organization: number } }) => data.invitation.organization,
}

/** No webhook can ask for it, since none was there; other services learn of the organization, and the log tells it. */
export const organizationCreated = defineEvent('create:organization', {
  ...ofOrganization,
  data: z.object({ organization }),
})
export const organizationUpdated = defineEvent('update:organization', {
  ...ofOrganization,
  data: z.object({ organization, before_update: organization.partial() }),
})
/** The record as it was. Emitted before anything that hung on it goes. */
export const organizationDeleted = defineEvent('delete:organization', {
  ...ofOrganization,
  data: z.object({ organization }),
})

/** A membership has become active. */
export const membershipCreated = defineEvent('create:membership', {
  ...ofMembership,
  data: z.object({ membership }),
})
export const membershipUpdated = defineEvent('update:membership', {
  ...ofMembership,
  data: z.object({ membership, before_update: membership.partial() }),
})
/** Of an active one. */
export const membershipDeleted = defineEvent('delete:membership', {
  ...ofMembership,
  data: z.object({ membership }),
})

/** Without its key, by which one joins (`spec/api-annotations.md` 4.4). */
const announced = invitation.omit({ key: true })

export const invitationCreated = defineEvent('create:invitation', {
  ...ofInvitation,
  data: z.object({ invitation: announced }),
})
/** It can be accepted no more: it was, or it was declined or taken back. */
export const invitationDeleted = defineEvent('delete:invitation', {
  ...ofInvitation,
  data: z.object({
    invitation: announced,
    reason: z.enum(['accepted', 'declined', 'revoked']),
  }),
})

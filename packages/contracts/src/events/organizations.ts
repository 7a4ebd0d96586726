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

/**
 * Webhooks cannot receive it, because the organization had none at that time. Other services and the event log use it.
 */
export const organizationCreated = defineEvent('create:organization', {
  ...ofOrganization,
  data: z.object({ organization }),
})
export const organizationUpdated = defineEvent('update:organization', {
  ...ofOrganization,
  data: z.object({ organization, before_update: organization.partial() }),
})
/** Record before the deletion. Emitted before the dependent objects are deleted. */
export const organizationDeleted = defineEvent('delete:organization', {
  ...ofOrganization,
  data: z.object({ organization }),
})

/** A membership became active. */
export const membershipCreated = defineEvent('create:membership', {
  ...ofMembership,
  data: z.object({ membership }),
})
export const membershipUpdated = defineEvent('update:membership', {
  ...ofMembership,
  data: z.object({ membership, before_update: membership.partial() }),
})
/** An active membership was deleted. */
export const membershipDeleted = defineEvent('delete:membership', {
  ...ofMembership,
  data: z.object({ membership }),
})

/** Invitation without its key, with which a user can join. */
const announced = invitation.omit({ key: true })

export const invitationCreated = defineEvent('create:invitation', {
  ...ofInvitation,
  data: z.object({ invitation: announced }),
})
/** The invitation can no longer be accepted: it was accepted, declined or revoked. */
export const invitationDeleted = defineEvent('delete:invitation', {
  ...ofInvitation,
  data: z.object({
    invitation: announced,
    reason: z.enum(['accepted', 'declined', 'revoked']),
  }),
})

import { z } from 'zod'
import { filter, integer, queryFlag, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { organizationRoles } from './principal.ts'
import { basicUser } from './users.ts'

/** Organizations, memberships and invitations. See docs/spec/access.md#organizations. */

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Free-form contact data for people to read. The body was JSON, so each value is. */
const contact = z.record(z.string(), z.unknown() as z.ZodType<Json>)

export const organization = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    created_date: timestamp,
    updated_date: timestamp,
    contact,
    owner: basicUser.nullable(),
  })
  .meta({ id: 'Organization' })

const slug = text(16, 1).refine((given) => /^[A-Za-z0-9_-]+$/.test(given), {
  error: 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
})

/** Escapes in JSON text; the first group matches those that the database cannot store: NUL and unpaired surrogates. */
const escapes = /\\(?:(u0000|ud[89a-f])|.)/gi
const isStorable = (json: string) => [...json.matchAll(escapes)].every(([, bad]) => !bad)

const writable = {
  slug,
  name: text(64),
  description: text(32_768),
  contact: contact
    .refine((given) => JSON.stringify(given).length <= 16_384, {
      error: 'Ensure this field has no more than 16384 characters.',
    })
    .refine((given) => isStorable(JSON.stringify(given)), {
      error: 'Null characters and unpaired surrogates are not allowed.',
    }),
}

export const organizationCreate = z
  .object(writable)
  .partial()
  .required({ slug: true })
  .meta({ id: 'OrganizationCreate' })
/** Other keys are ignored. */
export const organizationPatch = z.object(writable).partial().meta({ id: 'OrganizationPatch' })
export const organizationTransfer = z
  .object({ user_id: integer })
  .meta({ id: 'OrganizationTransfer' })
/** Effect on projects and tasks: by default their owners keep them. */
export const organizationRemoval = z.object({ objects: filter(z.enum(['keep', 'delete'])) })

export const organizationFields = listFields({
  equal: { id: 'integer', name: 'text', owner: 'text', slug: 'text' },
  more: {},
  search: ['name', 'owner', 'slug'],
  order: '-id',
})
export const organizationList = listOf(organizationFields)

const role = z.enum(organizationRoles)

export const membership = z
  .object({
    id: z.int(),
    user: basicUser,
    organization: z.int(),
    is_active: z.boolean(),
    /** Null until the invitation is accepted. */
    joined_date: timestamp.nullable(),
    role,
    /** Key of the invitation. */
    invitation: z.string().nullable(),
  })
  .meta({ id: 'Membership' })

/** The role owner cannot be assigned: an organization is transferred instead. */
export const membershipPatch = z
  .object({ role: z.enum(['worker', 'supervisor', 'maintainer']) })
  .partial()
  .strict()
  .meta({ id: 'MembershipPatch' })
/** With `unassign`, the user is unassigned from all objects of the organization. */
export const membershipRemoval = z.object({ unassign: filter(queryFlag) })

export const membershipFields = listFields({
  equal: { id: 'integer', user: 'text', role: organizationRoles },
  more: {},
  search: ['user', 'role'],
  order: '-id',
})
export const membershipList = listOf(membershipFields)

export const invitation = z
  .object({
    key: z.string(),
    created_date: timestamp,
    /** Sender of the invitation. */
    owner: basicUser.nullable(),
    role,
    /** Invited user. */
    user: basicUser,
    organization: z.int(),
    organization_info: z.object({ id: z.int(), slug: z.string() }).meta({ id: 'OrganizationInfo' }),
    /** Null before the invitation is sent. */
    expired: z.boolean().nullable(),
    accepted: z.boolean(),
  })
  .meta({ id: 'Invitation' })

const email = text(254, 1).refine((given) => /^[^\s@]+@[^\s@]+$/.test(given), {
  error: 'Enter a valid e-mail address.',
})

export const invitationCreate = z.object({ email, role }).meta({ id: 'InvitationCreate' })
export const invitationParams = z.object({ key: z.string().regex(/^[A-Za-z0-9]{64}$/) })
export const invitationAccepted = z
  .object({ organization_slug: z.string() })
  .meta({ id: 'InvitationAccepted' })

export const invitationFields = listFields({
  equal: { id: 'integer', owner: 'text', user_id: 'integer', accepted: 'flag' },
  more: { created_date: 'date' },
  search: ['owner'],
  order: '-created_date',
})
export const invitationList = listOf(invitationFields)

/** Organization by its slug or its id. */
export const workspaceQuery = z.object({
  slug: z.string().optional(),
  organization_id: z.int().optional(),
})
export const foundWorkspace = z.object({ organization_id: z.int() }).meta({ id: 'WorkspaceFound' })

export type Organization = z.infer<typeof organization>
export type Membership = z.infer<typeof membership>
export type Invitation = z.infer<typeof invitation>

import { z } from 'zod'

/** Roles within an organization (`spec/api-workspace.md` 2.5). */
export const organizationRoles = ['owner', 'maintainer', 'supervisor', 'worker'] as const
export type OrganizationRole = (typeof organizationRoles)[number]

/**
 * Who is calling, as projects-svc found out from the credential (`spec/api-workspace.md` 2). It travels signed beside
 * every call (`reliability.md` 11). `role` is the global role, highest group wins; null is an account without a group.
 */
export const principal = z
  .object({
    user_id: z.int(),
    username: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    email: z.string(),
    role: z.enum(['admin', 'user', 'worker']).nullable(),
    /** The access token that was presented; null for every other way to sign in. */
    token: z.object({ id: z.int(), read_only: z.boolean() }).nullable(),
    /** The session whose cookie was presented; absent for every other way to sign in. */
    session_id: z.int().optional(),
    /** Active memberships: the role by the organization's id. */
    organization_roles: z.record(z.string(), z.enum(organizationRoles)).default({}),
    /** The workspace that the request names (1.9), an id of null being the personal one; null: it names none. */
    scope: z.object({ organization_id: z.int().nullable() }).nullable().default(null),
  })
  .meta({ id: 'Principal' })

export type Principal = z.infer<typeof principal>

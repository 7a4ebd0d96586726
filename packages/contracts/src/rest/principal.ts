import { z } from 'zod'

/** Roles within an organization. */
export const organizationRoles = ['owner', 'maintainer', 'supervisor', 'worker'] as const
export type OrganizationRole = (typeof organizationRoles)[number]

/**
 * Caller of an operation, as projects-svc derived it from the credential. It is sent signed with every call between
 * services. `role` is the global role of the highest group; null for an account without a group. See
 * docs/spec/access.md#authentication.
 */
export const principal = z
  .object({
    user_id: z.int(),
    username: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    email: z.string(),
    role: z.enum(['admin', 'user', 'worker']).nullable(),
    /** Access token of the call; null for any other way to sign in. */
    token: z.object({ id: z.int(), read_only: z.boolean() }).nullable(),
    /** Session of the cookie of the call; absent for any other way to sign in. */
    session_id: z.int().optional(),
    /** Roles in active memberships, by the id of the organization. */
    organization_roles: z.record(z.string(), z.enum(organizationRoles)).default({}),
    /** Workspace named by the request, with null as the id of the personal one; null if the request names none. */
    scope: z.object({ organization_id: z.int().nullable() }).nullable().default(null),
    /**
     * Lists contain the caller's own and assigned objects only, not what the caller sees by a role in an organization. The
     * dialects whose lists work so set it for a list without a scope.
     */
    only_own: z.boolean().optional(),
  })
  .meta({ id: 'Principal' })

export type Principal = z.infer<typeof principal>

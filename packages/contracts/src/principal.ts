import { z } from 'zod'

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
  })
  .meta({ id: 'Principal' })

export type Principal = z.infer<typeof principal>

import { z } from 'zod'
import { link, timestamp } from './common.ts'

/** What everybody may know of a user (`spec/api-workspace.md` 2.4). */
export const basicUser = z
  .object({
    url: link,
    id: z.int(),
    username: z.string(),
    first_name: z.string(),
    last_name: z.string(),
  })
  .meta({ id: 'BasicUser' })

/** The whole record, for oneself and administrators. */
export const user = basicUser
  .extend({
    email: z.string(),
    groups: z.array(z.string()),
    is_staff: z.boolean(),
    is_superuser: z.boolean(),
    is_active: z.boolean(),
    last_login: timestamp.nullable(),
    date_joined: timestamp,
    has_analytics_access: z.boolean(),
  })
  .meta({ id: 'User' })

export type BasicUser = z.infer<typeof basicUser>
export type User = z.infer<typeof user>

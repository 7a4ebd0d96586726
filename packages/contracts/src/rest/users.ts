import { z } from 'zod'
import { flag, link, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'

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

/** A user as it is shown to the caller: whole to themselves and to administrators, else what everybody may know. */
export const metaUser = user.partial().extend(basicUser.shape).meta({ id: 'MetaUser' })

/** Global roles as groups, the highest wins (`spec/api-workspace.md` 2.4). */
export const userGroups = ['admin', 'user', 'worker'] as const

/** Letters of every alphabet, digits and a few signs, of at least `min` characters: `spec/api-workspace.md` 2.2. */
export const username = (min: number) =>
  text(150, min).refine((given) => /^[\p{L}\p{N}@.+_-]*$/u.test(given), {
    error: 'Use letters, digits and @ . + - _ only.',
  })

const mailboxName = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}$/u
const hostLabel = /^[\p{L}\p{N}-]+$/u
const longestEmail = 254

function isMailbox(given: string): boolean {
  const [name = '', host = '', ...more] = given.length > longestEmail ? [] : given.split('@')
  const isHost = host.split('.').every((label) => hostLabel.test(label))
  return more.length === 0 && mailboxName.test(name) && isHost
}

/** Empty: none. */
export const email = text(longestEmail).refine((given) => given === '' || isMailbox(given), {
  error: 'Enter a valid e-mail address.',
})

/** Another key is refused (api-workspace 1.8); who may send which is decided by the service. */
export const userPatch = z
  .object({
    username: username(1),
    first_name: text(150),
    last_name: text(150),
    email,
    /** The administrator vouches that the address is the person's, or withdraws that. */
    is_email_verified: flag,
    groups: z.array(z.enum(userGroups)).max(userGroups.length),
    is_active: flag,
    is_staff: flag,
    is_superuser: flag,
  })
  .partial()
  .strict()
  .meta({ id: 'UserPatch' })

export const userFields = listFields({
  equal: {
    id: 'integer',
    username: 'text',
    first_name: 'text',
    last_name: 'text',
    is_active: 'flag',
  },
  more: {},
  search: ['username', 'first_name', 'last_name'],
  order: '-id',
})
export const userList = listOf(userFields)

export type BasicUser = z.infer<typeof basicUser>
export type User = z.infer<typeof user>
export type MetaUser = z.infer<typeof metaUser>
export type UserPatch = z.infer<typeof userPatch>

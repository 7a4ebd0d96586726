import { z } from 'zod'
import { flag, link, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'

/** Public fields of a user. See docs/spec/access.md#users. */
export const basicUser = z
  .object({
    url: link,
    id: z.int(),
    username: z.string(),
    first_name: z.string(),
    last_name: z.string(),
  })
  .meta({ id: 'BasicUser' })

/** Complete record, for the user and for administrators. */
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

/** User as shown to the caller: complete for the user and for administrators, otherwise only public fields. */
export const metaUser = user.partial().extend(basicUser.shape).meta({ id: 'MetaUser' })

/** Global roles as groups, of which the highest applies. */
export const userGroups = ['admin', 'user', 'worker'] as const

/** Accepts letters of every alphabet, digits and a few signs, with at least `min` characters. */
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

/** Accepts an e-mail address; empty means none. */
export const email = text(longestEmail).refine((given) => given === '' || isMailbox(given), {
  error: 'Enter a valid e-mail address.',
})

/** Any other key is rejected; the service decides who may send which. */
export const userPatch = z
  .object({
    username: username(1),
    first_name: text(150),
    last_name: text(150),
    email,
    /** Whether the administrator confirms that the address belongs to the user. */
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

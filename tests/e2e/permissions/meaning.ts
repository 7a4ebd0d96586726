import { outside, type TableResource, table } from './table.ts'

/** Meaning of the words in `table.ts`, independent of the code of the services. */

export const globalRoles = ['none', 'worker', 'user'] as const
export type GlobalRole = (typeof globalRoles)[number]

/**
 * Roles in an organization, O, M, S and K in the table; `outside`: not or no longer a member; null: objects without an
 * organization.
 */
export const memberRoles = ['owner', 'maintainer', 'supervisor', 'worker'] as const
export type MemberRole = (typeof memberRoles)[number] | 'outside' | null

/** Relations of a user to an object. */
export const objectRelations = [
  'project owner',
  'project assignee',
  'task owner',
  'task assignee',
  'job assignee',
  'issue owner',
  'issue assignee',
  'author',
  'storage owner',
  'nobody',
] as const
export type ObjectRelation = (typeof objectRelations)[number]

/** Role of the member whose membership is changed, or `self` for the caller's own membership. */
export type MembershipRelation = `${(typeof memberRoles)[number]} of it` | 'self'
export type InvitationRelation = 'sender' | 'invitee'

export interface RelatedUser {
  role: GlobalRole
  member: MemberRole
  relation: ObjectRelation | MembershipRelation | InvitationRelation
}

const projectStaff = ['project owner', 'project assignee']
const taskStaff = [...projectStaff, 'task owner', 'task assignee']
const jobStaff = [...taskStaff, 'job assignee']
const groups: Readonly<Record<string, readonly string[]>> = {
  'project staff': projectStaff,
  'task staff': taskStaff,
  'job staff': jobStaff,
  'issue staff': [...jobStaff, 'issue owner', 'issue assignee'],
  owner: ['storage owner'],
  sent: ['sender'],
  received: ['invitee'],
  'anyone but owner and self': ['maintainer of it', 'supervisor of it', 'worker of it'],
  'only S K not self': ['supervisor of it', 'worker of it'],
}

const rank = (role: GlobalRole) => globalRoles.indexOf(role)
const words: Readonly<Record<string, (person: RelatedUser) => boolean>> = {
  U: ({ role }) => role === 'user',
  W: ({ role }) => rank(role) >= rank('worker'),
  'only W': ({ role }) => role === 'worker',
  any: () => true,
  yes: () => true,
  'active members': () => true,
  no: () => false,
  '-': () => false,
  admin: () => false, // no tested user is one
  O: ({ member }) => member === 'owner',
  M: ({ member }) => member === 'maintainer',
  S: ({ member }) => member === 'supervisor',
  K: ({ member }) => member === 'worker',
  'owner only': ({ member }) => member === 'owner',
  'owner never': ({ member }) => member !== 'owner',
}

/** Evaluates a cell: `a, b` requires both, `a or b` one of them, `a; b` matches if either side does. */
function holds(cell: string, person: RelatedUser): boolean {
  const isMet = (word: string) => {
    const means = words[word]
    if (means) return means(person)
    return (groups[word] ?? [word]).includes(person.relation)
  }
  return cell
    .split('; ')
    .some((one) =>
      one.split(/, | with |: | and (?!self)/).every((part) => part.split(' or ').some(isMet)),
    )
}

/** All rows by the name `resource: row`. */
export const rows = new Map(
  Object.entries(table).flatMap(([resource, list]) =>
    list.map(([row, ...cells]) => [`${resource}: ${row}`, cells] as const),
  ),
)

type RowsOf<R extends TableResource> = (typeof table)[R][number][0]
export type RowName = { [R in TableResource]: `${R}: ${RowsOf<R>}` }[TableResource]

/**
 * Whether a user may do what a row describes. "U" alone in the column of owners and maintainers requires that global
 * role; with a lower one they count like a supervisor or worker.
 */
export function isGranted(row: RowName, person: RelatedUser): boolean {
  const [sandbox = '', leaders = '', members = ''] = rows.get(row) ?? []
  const { member, role } = person
  if (member === null) return holds(sandbox, person)
  if (member === 'outside') return holds(outside[row] ?? 'no', person)
  const leads = member === 'owner' || member === 'maintainer'
  const isLess = leaders === 'U' && role !== 'user'
  return holds(leads && !isLess ? leaders : members, person)
}

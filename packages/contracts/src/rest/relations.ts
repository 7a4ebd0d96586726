/** Relations of a caller to an object, which permission rules name. See docs/spec/access.md#permissions. */

const staffRelations = ['project staff', 'task staff', 'job staff', 'issue staff'] as const
export type StaffRelation = (typeof staffRelations)[number]

const otherRelations = [
  // owners
  'owner',
  'project owner',
  'task owner',
  'issue owner',
  'storage owner',
  'webhook owner',
  'request owner',
  'organization owner',
  // to content
  'guest',
  'author',
  'target staff',
  'job assignee of the target',
  'target viewer',
  'event actor',
  // to people and organizations
  'self',
  'fellow member',
  'leader',
  'supervisor',
  'supervising user',
  'supervising task staff',
  'of an active member',
  'active self',
  'leaver',
  'superior',
  'sender',
  'invitee',
] as const

export type Relation =
  | StaffRelation
  | `${StaffRelation} above workers`
  | (typeof otherRelations)[number]

const known: ReadonlySet<string> = new Set([
  ...staffRelations,
  ...staffRelations.map((one) => `${one} above workers`),
  ...otherRelations,
])

/** Returns whether a text from another service is a relation that this version knows. */
export const isRelation = (text: string): text is Relation => known.has(text)

export const isStaffRelation = (relation: Relation): relation is StaffRelation =>
  staffRelations.some((one) => one === relation)

/**
 * The documented permission table, copied row by row from the document and not from the rules of the services: [row,
 * personal workspace, org: O and M, org: S and K]. `meaning.ts` defines the words. See docs/spec/access.md#permissions.
 */
export const table = {
  server: [['share listing', 'U', 'U', 'U']],
  organization: [
    ['create', 'U', '-', '-'],
    ['list, view', '-', 'yes', 'yes'],
    ['update', '-', 'W', 'no'],
    ['delete, transfer ownership', '-', 'owner only, W', 'no'],
  ],
  membership: [
    ['list, view', 'own active', 'U', 'active members'],
    ['list, view: not accepted', '-', 'U', 'no'], // The document has "all incl. not accepted".
    ['change role', '-', 'O, U, anyone but owner and self; M, U, only S K not self', 'no'],
    ['delete', '-', 'O, U, anyone but owner and self; M, U, only S K not self', 'no'],
    ['leave', '-', 'W, owner never', 'W'],
  ],
  invitation: [
    ['create for M', '-', 'O, U', 'no'],
    ['create for S, K', '-', 'U', 'no'],
    ['list, view', 'sent or received', 'U', 'sent or received'],
    ['resend, delete', 'sender, W', 'U', 'sender, W'],
    ['accept, decline', 'invitee', 'invitee', 'invitee'],
  ],
  project: [
    ['list, view, preview', 'project staff', 'U', 'project staff'],
    ['create, restore backup', 'U', 'U', 'S with U'],
    [
      'update name, labels, bug_tracker, status; import dataset',
      'project staff, W',
      'U',
      'project staff, W',
    ],
    ['update assignee', 'project owner, W', 'U', 'project owner, W'],
    ['update owner', 'admin', 'U', 'no'],
    ['update storages; delete', 'project owner, W', 'U', 'project owner, W'],
    ['export annotations, dataset, backup', 'project staff', 'U', 'project staff'],
  ],
  task: [
    ['list, view, data, meta, preview, annotations read', 'task staff', 'U', 'task staff'],
    ['create without project, restore backup', 'U', 'U', 'S with U'],
    // The document has "S with U; K: U and project staff", and the caller must be able to see a project named by the
    // body.
    [
      'create in project',
      'U and project staff',
      'U',
      'S with U and project staff; K: U and project staff',
    ],
    [
      'update name, labels, bug_tracker, subset; upload data; data/meta; annotations write, import',
      'task staff, W',
      'U',
      'task staff, W',
    ],
    [
      'update owner, assignee, project; delete',
      'task owner or project staff, W',
      'U',
      'task owner or project staff, W',
    ],
    ['update storages', 'task owner or project owner, W', 'U', 'task owner or project owner, W'],
    ['export annotations, dataset, backup', 'task staff', 'U', 'task staff'],
  ],
  job: [
    ['list, view, data, meta, preview, annotations read', 'job staff', 'U', 'job staff'],
    ['update state; data/meta; annotations write, import', 'job staff, W', 'U', 'job staff, W'],
    ['update stage, assignee', 'task staff, W', 'U', 'task staff, W'],
    ['create (ground truth), delete', 'task staff, U', 'U', 'S: task staff, U'],
    ['export', 'job staff', 'U', 'job staff'],
    ['validation layout read, write', 'task staff', 'U', 'task staff'],
  ],
  label: [
    // The document has "view right on it", for the named job, task or project.
    ['list by project', 'project staff', 'U', 'project staff'],
    ['list by task', 'task staff', 'U', 'task staff'],
    ['list by job', 'job staff', 'U', 'job staff'],
    ['list without parent', 'project staff', 'U', 'project staff'],
    // The document has "view right of the parent" and "update-labels right of the parent"; the parent is a project.
    ['view', 'project staff', 'U', 'project staff'],
    ['update, delete', 'project staff, W', 'U', 'project staff, W'],
  ],
  issue: [
    ['list, view', 'issue staff', 'U', 'issue staff'],
    ['create', 'job staff, W', 'U', 'job staff, W'],
    ['update (resolve, assignee, position)', 'issue staff, W', 'U', 'issue staff, W'],
    ['delete', 'issue owner or task staff, W', 'U', 'issue owner or task staff, W'],
  ],
  comment: [
    ['list, view', 'issue staff or author', 'U', 'issue staff or author'],
    ['create', 'issue staff, W', 'U', 'issue staff, W'],
    ['update, delete', 'issue staff or author, W', 'U', 'issue staff or author, W'],
  ],
  guide: [
    // The document has "target staff or assigned to a job of the target"; the target is a project.
    [
      'view, assets view',
      'project staff or job assignee, W',
      'U',
      'project staff or job assignee, W',
    ],
    ['create, update, delete; assets add, remove', 'project staff, U', 'U', 'project staff, U'],
  ],
  'cloud storage': [
    ['list, view, content, status, preview, use', 'owner', 'U', 'owner; S with U'],
    ['create', 'U', 'U', 'no'],
    ['update, delete', 'owner, W', 'U', 'owner, W'],
  ],
  events: [
    ['send', 'any', 'any', 'any'],
    ['export own', 'W', 'U', 'U'],
    ['export all of the org', '-', 'U', 'no'],
  ],
  // Rights of webhooks of projects, with the W of every other change.
  webhook: [['create', 'project owner, W', 'U', 'project owner, W']],
} as const satisfies Record<string, readonly Row[]>

type Row = readonly [row: string, sandbox: string, leaders: string, members: string]
export type TableResource = keyof typeof table

/**
 * Additional rule: a user with global role worker who is assigned to a job of an organization without being a member
 * may view and annotate that job (not list others). Everything else is closed to users outside of the organization.
 */
export const outside: Readonly<Record<string, string>> = {
  'job: list, view, data, meta, preview, annotations read': 'only W, job assignee',
  'job: update state; data/meta; annotations write, import': 'only W, job assignee',
  'label: list by job': 'only W, job assignee',
  'server: share listing': 'U', // it belongs to no organization
  'events: send': 'any',
  // From the column without an organization: "with or without scope".
  'invitation: list, view': 'sent or received',
  'invitation: resend, delete': 'sender, W',
  'invitation: accept, decline': 'invitee',
}

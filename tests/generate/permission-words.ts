/** Texts of the page of permissions for the names in the rules. */

export const introduction = `# Permissions

Who may do what, for administrators of an installation and of an organization. This page is printed from the rules that the server
evaluates (\`npm run codegen\`); how they are read is \`packages/kit/src/policy.ts\`, and \`npm test\` tries every cell over HTTP.

## How to read it

**Global roles.** An account is in one of the groups \`admin\`, \`user\` and \`worker\`, or in none. Administrators may do
everything, everywhere. "At least worker" means the group \`worker\` or \`user\`; where no group is named, an account without one is
enough. New accounts are in \`RETICLE_PROJECTS_DEFAULT_ROLE\`; an administrator changes it with \`PATCH /users/{id}\`.

**Workspaces.** An object belongs to an organization or to none. The first column of each table is about objects without one. The
other two are about members of the object's organization: its owner and maintainers, and its supervisors and workers; "everybody" is
everybody of that column. Owners and maintainers who are not at least \`user\` count like supervisors and workers. To people who are
no members an organization is closed, with one exception: a guest.

**Relations.** What a cell names is how somebody stands to the object:

| Name | Who that is |
|---|---|
| project staff | owner or assignee of the project |
| task staff | owner or assignee of the task, or staff of its project |
| job staff | assignee of the job, or staff of its task |
| issue staff | owner or assignee of the issue, or staff of its job |
| guest | assignee of a job in an organization who is no member of it; an account in the group \`worker\` |

A role in an organization alone never shows the work of others to supervisors and workers. Lists show what may be seen. Access
tokens take away from this and never add: a read-only one changes nothing, and none manages accounts or tokens. A change of several
fields needs the right to each of them; a person, project or storage that is named has to be one that the caller sees.
`

export const titles: Readonly<Record<string, string>> = {
  project: 'Projects',
  task: 'Tasks',
  job: 'Jobs',
  issue: 'Issues',
  comment: 'Comments',
  guide: 'Guides',
  cloud_storage: 'Cloud storages',
  share: 'Mounted share',
  access_token: 'Access tokens',
  user: 'Accounts',
  organization: 'Organizations',
  membership: 'Members of an organization',
  invitation: 'Invitations',
  request: 'Background requests',
  webhook: 'Webhooks',
  event: 'Log of events',
}

/** By action, or by resource and action where the action alone is ambiguous. */
export const actions: Readonly<Record<string, string>> = {
  view: 'see',
  create: 'create',
  update: 'change',
  delete: 'delete',
  export: 'export',
  import: 'import annotations',
  'update:owner': 'change the owner',
  'update:assignee': 'change the assignee',
  'update:storages': 'change the storages',
  'update:project': 'move into another project',
  'update:state': 'change the state',
  'update:stage': 'change the stage',
  'update:meta': 'delete and restore frames',
  'create:task': 'create tasks in it',
  'create:job': 'create ground truth for it',
  'upload:data': 'upload its pictures',
  'data:read': 'see its pictures',
  'annotations:read': 'read annotations',
  'annotations:write': 'write annotations',
  'validation:read': 'see which frames are ground truth',
  'validation:write': 'leave out frames of the ground truth',
  'project import': 'import data sets',
  'project update': 'change name, labels, tracker and status',
  'task update': 'change name, labels, tracker and subset',
  'job delete': 'delete ground truth',
  'guide view:assets': 'see its pictures and files',
  'guide add:assets': 'add pictures and files',
  'guide remove:assets': 'remove pictures and files',
  'cloud_storage view': 'see, look into and use',
  'cloud_storage create': 'connect',
  'cloud_storage delete': 'disconnect',
  'share list': 'see its files',
  'webhook create:organization': 'create for the organization',
  'issue update': 'resolve, assign, move',
  'user update': 'change the names',
  'user update rights': 'change groups, e-mail and whether it is active',
  'membership update:role': 'change the role',
  'membership grant:maintainer': 'make a maintainer',
  'membership delete': 'remove, or leave',
  'organization create': 'create ¹',
  'organization transfer': 'make another member the owner',
  'invitation create:maintainer': 'invite a maintainer',
  'invitation create': 'invite a supervisor or worker',
  'task export': 'export ²',
  'job export': 'export ²',
  resend: 'send again',
  accept: 'accept',
  decline: 'decline',
  cancel: 'stop',
  download: 'fetch the file it made',
  send: 'tell what was done in a client',
}

/** Only relations whose name needs an explanation. */
export const relations: Readonly<Record<string, string>> = {
  supervisor: 'supervisors',
  'supervising user': 'supervisors who are at least user',
  'storage owner': 'whose it is',
  'supervising task staff': 'supervisors who are task staff',
  'target staff': 'staff of its project or task',
  'job assignee of the target': 'who is assigned to a job of its project or task',
  author: 'who wrote it',
  owner: 'whose it is',
  self: 'whose it is',
  'fellow member': 'members of the organization that the request names',
  leader: 'owner and maintainers',
  'active self': 'whose it is, when accepted',
  'of an active member': 'all members, of accepted ones',
  superior: 'owners: all but themselves; maintainers: supervisors and workers',
  leaver: 'whose it is, but the owner',
  sender: 'who sent it',
  invitee: 'who is invited',
  'request owner': 'who started it',
  'target viewer': 'who sees its task or job (imports and creations)',
  'event actor': 'of their own events',
}

export const footnotes = `## Settings that change it

¹ \`RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE\` (\`user\`): the least group that may create organizations: \`admin\`, \`user\` or \`worker\`.

² \`RETICLE_PROJECTS_EXPORT_RESTRICT_WORKERS\` (\`false\`): when \`true\`, workers of an organization export only tasks that they own and
tasks of projects that they own. Supervisors, and the first two columns, are not affected.
`

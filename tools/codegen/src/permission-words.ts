/** Texts of the page of permissions for the names in the rules. */

export const introduction = `# Permissions

This page lists the permission that each operation needs, for administrators of an installation and of an organization. It is generated
from the rules that the server evaluates (\`npm run codegen\`); \`packages/kit/src/call/policy.ts\` evaluates them, and \`npm test\` checks
every cell over HTTP.

## How to read it

**Global roles.** An account is in one of the groups \`admin\`, \`user\` and \`worker\`, or in none. Administrators can do
everything. "At least worker" means the group \`worker\` or \`user\`. A cell without a group also permits accounts in none.
New accounts get the role \`RETICLE_PROJECTS_DEFAULT_ROLE\`; an administrator changes it with \`PATCH /users/{id}\`.

**Workspaces.** An object belongs to an organization or to none. The first column is for objects without an organization. The other two
are for members of the organization of the object: its owner and maintainers, and its supervisors and workers. "All" means all users
of the column. Owners and maintainers who are not at least \`user\` count as supervisors and workers. Users outside the organization
have no access, except guests.

**Relations.** A cell names the relations of a user to the object that are permitted:

| Name | Users |
|---|---|
| project staff | owner or assignee of the project |
| task staff | owner or assignee of the task, or staff of its project |
| job staff | assignee of the job, or staff of its task |
| issue staff | owner or assignee of the issue, or staff of its job |
| guest | assignee of a job in an organization without being a member of it; an account in the group \`worker\` |

- The organization role alone does not let supervisors and workers see the work of others. Lists contain only visible objects.
- Access tokens only restrict permissions: a read-only token cannot change anything, and no token can manage accounts or tokens.
- A change of several fields needs the permission for each field. A user, project or storage in the body must be visible to the
  caller.
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
  'upload:data': 'upload its media',
  'data:read': 'see its images',
  'annotations:read': 'read annotations',
  'annotations:write': 'write annotations',
  'validation:read': 'see which frames are ground truth',
  'validation:write': 'exclude frames of the ground truth',
  'project import': 'import datasets',
  'project update': 'change name, labels, tracker and status',
  'task update': 'change name, labels, tracker and subset',
  'job delete': 'delete ground truth',
  'guide view:assets': 'see its images and files',
  'guide add:assets': 'add images and files',
  'guide remove:assets': 'remove images and files',
  'cloud_storage view': 'see, browse and use',
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
  'organization transfer': 'transfer to another member',
  'invitation create:maintainer': 'invite a maintainer',
  'invitation create': 'invite a supervisor or worker',
  'task export': 'export ²',
  'job export': 'export ²',
  resend: 'send again',
  accept: 'accept',
  decline: 'decline',
  cancel: 'cancel',
  download: 'download its file',
  send: 'send events of a client',
}

/** Only relations whose name needs an explanation. */
export const relations: Readonly<Record<string, string>> = {
  supervisor: 'supervisors',
  'supervising user': 'supervisors with at least user',
  'storage owner': 'its owner',
  'supervising task staff': 'supervisors in the task staff',
  'target staff': 'staff of its project or task',
  'job assignee of the target': 'assignees of a job of its project or task',
  author: 'its author',
  owner: 'its owner',
  self: 'the user',
  'fellow member': 'members of the organization that the request names',
  leader: 'owner and maintainers',
  'active self': 'the member, after acceptance',
  'of an active member': 'all, for accepted memberships',
  superior: 'owners: all members except themselves; maintainers: supervisors and workers',
  leaver: 'the member, except the owner',
  sender: 'its sender',
  invitee: 'the invited user',
  'request owner': 'the user that started it',
  'target viewer': 'users that can see its task or job (imports and creations)',
  'event actor': 'their own events',
}

export const footnotes = `## Settings that change permissions

¹ \`RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE\` (\`user\`): the lowest group that can create organizations: \`admin\`, \`user\` or \`worker\`.

² \`RETICLE_PROJECTS_EXPORT_RESTRICT_WORKERS\` (\`false\`): if \`true\`, workers of an organization can export only tasks that they own and
tasks of projects that they own. Supervisors and the first two columns are not affected.
`

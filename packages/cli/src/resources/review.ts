import type {
  Comment,
  CommentCreate,
  CommentPatch,
  Guide,
  GuideCreate,
  GuidePatch,
  Issue,
  IssueCreate,
  IssuePatch,
} from '@reticle/sdk'
import { assigneeColumn, createColumn, idColumn, ownerColumn, updatedColumn } from './columns.ts'
import { assignee, byAssignee, byOwner, parentFilter } from './projects.ts'
import { numberId, type ResourceDefinition } from './resource.ts'

/** Issues, comments and guides. */

const issueAssignee = { ...assignee, key: 'assignee' } as const
const resolved = {
  key: 'resolved',
  flags: '--resolved <true|false>',
  description: 'whether the issue is resolved',
  kind: 'flag',
} as const

export const issue: ResourceDefinition<Issue, IssueCreate, IssuePatch> = {
  word: 'issue',
  one: 'an issue',
  id: numberId,
  columns: [
    idColumn,
    createColumn('JOB', ({ job }) => job, true),
    createColumn('FRAME', ({ frame }) => frame, true),
    createColumn('RESOLVED', ({ resolved }) => resolved),
    createColumn('COMMENTS', ({ comments }) => comments.count, true),
    ownerColumn,
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listIssues.each(query, options),
    filters: [byOwner, byAssignee, parentFilter('job_id'), parentFilter('task_id'), resolved],
  },
  get: (client, id, options) => client.getIssue({ id }, options),
  create: {
    fields: [
      { key: 'job', flags: '--job <id>', description: 'where', kind: 'number', required: true },
      {
        key: 'frame',
        flags: '--frame <number>',
        description: 'frame',
        kind: 'number',
        required: true,
      },
      {
        key: 'position',
        flags: '--position <json>',
        description: 'position in the frame: the numbers of a box or polygon, as a JSON list',
        kind: 'json',
        required: true,
      },
      { key: 'message', flags: '<message>', description: 'description of the problem' },
      issueAssignee,
    ],
    call: (client, body, options) => client.createIssue({ body }, options),
    example:
      'reticle issue create "The box is too large" --job 31 --frame 4 --position "[10,10,80,60]"',
  },
  update: {
    fields: [resolved, issueAssignee],
    call: (client, id, body, options) => client.updateIssue({ id, body }, options),
    example: 'reticle issue update 5 --resolved true',
  },
  remove: (client, id, options) => client.deleteIssue({ id }, options),
}

export const comment: ResourceDefinition<Comment, CommentCreate, CommentPatch> = {
  word: 'comment',
  one: 'a comment',
  id: numberId,
  columns: [
    idColumn,
    createColumn('ISSUE', ({ issue }) => issue, true),
    createColumn('MESSAGE', ({ message }) => message),
    ownerColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listComments.each(query, options),
    filters: [
      { key: 'issue_id', flags: '--issue <id>', description: 'only of this issue', kind: 'number' },
      parentFilter('job_id'),
      byOwner,
    ],
  },
  get: (client, id, options) => client.getComment({ id }, options),
  create: {
    fields: [
      { key: 'message', flags: '<message>', description: 'text' },
      {
        key: 'issue',
        flags: '--issue <id>',
        description: 'issue',
        kind: 'number',
        required: true,
      },
    ],
    call: (client, body, options) => client.createComment({ body }, options),
    example: 'reticle comment create "Done" --issue 5',
  },
  update: {
    fields: [{ key: 'message', flags: '--message <text>', description: 'text' }],
    call: (client, id, body, options) => client.updateComment({ id, body }, options),
    example: 'reticle comment update 9 --message "Done, see frame 5"',
  },
  remove: (client, id, options) => client.deleteComment({ id }, options),
}

const markdown = { key: 'markdown', flags: '--markdown <text>', description: 'text' } as const

export const guide: ResourceDefinition<Guide, GuideCreate, GuidePatch> = {
  word: 'guide',
  one: 'a guide',
  id: numberId,
  columns: [idColumn],
  get: (client, id, options) => client.getGuide({ id }, options),
  create: {
    fields: [
      {
        key: 'project_id',
        flags: '--project <id>',
        description: 'project',
        kind: 'number',
      },
      { key: 'task_id', flags: '--task <id>', description: 'or task', kind: 'number' },
      markdown,
    ],
    call: (client, body, options) => client.createGuide({ body }, options),
    example: 'reticle guide create --project 7 --markdown "$(cat guide.md)"',
  },
  update: {
    fields: [markdown],
    call: (client, id, body, options) => client.updateGuide({ id, body }, options),
    example: 'reticle guide update 3 --markdown "$(cat guide.md)"',
  },
  remove: (client, id, options) => client.deleteGuide({ id }, options),
}

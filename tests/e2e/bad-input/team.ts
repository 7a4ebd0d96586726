import { expect } from 'vitest'
import { type BadInputIds, type BadInputRow, buildRows } from './row.ts'

/** Rows 98 to 101 and 87 to 91: review, organizations, deprecated endpoints, and webhooks. */

const issue = { call: 'POST /issues', status: 400 } as const
const pinned = (ids: BadInputIds, fields: object) => ({
  ...{ job: ids.job, frame: 0, position: [1, 2, 3, 4], message: 'x' },
  ...fields,
})

const review: BadInputRow[] = [
  ...buildRows({ 'no words': '', 'a megabyte of words': 'x'.repeat(1_000_000) }, (message) => ({
    ...{
      row: 98,
      ...issue,
      json: (ids: BadInputIds) => pinned(ids, { message }),
      field: 'message',
    },
  })),
  ...buildRows(
    { 'half a point': [1, 2, 3], 'a word': ['x', 'y'], 'no numbers': 'here' },
    (position) => ({
      ...{
        row: 98,
        ...issue,
        json: (ids: BadInputIds) => pinned(ids, { position }),
        field: 'position',
      },
    }),
  ),
  {
    row: 98,
    what: 'a comment on an issue of others',
    ...{ call: 'POST /comments', as: 'bo', status: 403 },
    json: (ids: BadInputIds) => ({ issue: ids.issue, message: 'x' }),
  },
]

const invite = { call: 'POST /invitations?org=acme' } as const
const organizations: BadInputRow[] = [
  {
    row: 99,
    what: 'an address that is none',
    ...{ ...invite, json: { email: 'nobody', role: 'worker' }, status: 400, field: 'email' },
  },
  {
    row: 99,
    what: "a role above one's own",
    ...{ ...invite, as: 'mo', json: { email: 'x@example.org', role: 'maintainer' }, status: 403 },
  },
  {
    row: 99,
    what: 'an invitation that there is',
    ...{ ...invite, json: { email: 'waiting@example.org', role: 'worker' }, status: 400 },
  },
  {
    row: 99,
    what: 'the end of the owner',
    ...{ call: 'DELETE /memberships/{membership}', as: 'mo', status: 403 },
  },
]

const old: BadInputRow[] = [
  ...buildRows(
    {
      'the dataset of a project': 'GET /projects/{project}/dataset',
      'the backup of a project': 'GET /projects/{project}/backup',
      'annotations of a project': 'GET /projects/{project}/annotations',
      'the dataset of a task': 'GET /tasks/{task}/dataset',
      'the backup of a task': 'GET /tasks/{task}/backup',
      'the dataset of a job': 'GET /jobs/{job}/dataset',
      'how far a restored project is': 'POST /projects/backup?rq_id=x',
      'how far a restored task is': 'POST /tasks/backup?rq_id=x',
      'how far an import is': 'GET /tasks/{task}/annotations/?action=import_status',
      'annotations in a format': 'GET /jobs/{job}/annotations/?format=COCO%201.0',
      'a file as annotations': 'PUT /tasks/{task}/annotations/?format=COCO%201.0',
    },
    (call) => ({
      ...{ row: 101, call, status: 410, code: 'endpoint_gone' },
      ...(call.startsWith('PUT') && { json: {} }),
      body: { detail: expect.stringMatching(/Use (POST|GET) \//) },
    }),
  ),
  {
    row: 101,
    what: 'how far the media of a task is',
    ...{ call: 'GET /tasks/{task}/status', status: 200 },
    answers: { deprecation: 'true', link: 'rel="successor-version"' },
  },
  {
    row: 101,
    what: 'the log of events',
    ...{ call: 'GET /events', status: 202, changes: true },
    answers: { deprecation: 'true', link: '/events/export>; rel="successor-version"' },
  },
  {
    row: 100,
    what: 'the preview of a project without tasks',
    ...{ call: 'GET /projects/{spare}/preview', status: 404 },
  },
  {
    row: 100,
    what: 'the same for who prefers nothing',
    ...{ call: 'GET /projects/{spare}/preview', status: 204 },
    headers: { prefer: 'handling=empty' },
  },
]

const hook = { type: 'project', events: 'update:task' }
const webhook = (what: string, fields: object, field: string, row: number): BadInputRow => ({
  ...{ row, what, call: 'POST /webhooks', status: 400, field },
  json: (ids: BadInputIds) => ({
    ...{ ...hook, target_url: 'https://example.org/', project_id: ids.project },
    ...fields,
  }),
})
const webhooks: BadInputRow[] = [
  ...Object.entries({
    'no scheme': 'example.org',
    'another scheme': 'ftp://example.org/',
    'no host': 'https://',
    'an address of 8,193': `https://example.org/${'a'.repeat(8173)}`,
    'a password in an address': 'https://a:b@example.org/',
  }).map(([what, target_url]) => webhook(what, { target_url }, 'target_url', 87)),
  ...Object.entries({
    'an address for services': 'https://169.254.169.254/',
    'a private address within another': 'https://[::ffff:10.0.0.1]/',
    'a name within a cluster': 'https://a.svc.cluster.local/',
  }).map(([what, target_url]) => webhook(what, { target_url }, 'target_url', 88)),
  ...Object.entries({
    'an unknown event': 'x',
    'an unknown event among others': 'update:task,x',
    'no event': '',
  }).map(([what, events]) => webhook(what, { events }, 'events', 89)),
  webhook('an event of organizations', { events: 'create:project' }, 'non_field_errors', 89),
  webhook('a type of no kind', { type: 'user' }, 'type', 90),
  webhook('a secret of 65', { secret: 'x'.repeat(65) }, 'secret', 91),
  webhook('a secret that is an object', { secret: {} }, 'secret', 91),
  webhook('another type of content', { content_type: 'text/xml' }, 'content_type', 91),
  webhook('a word for yes', { is_active: 'perhaps' }, 'is_active', 91),
  webhook('no word for yes', { enable_ssl: null }, 'enable_ssl', 91),
]

export const team: BadInputRow[] = [...review, ...organizations, ...old, ...webhooks]

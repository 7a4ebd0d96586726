import { expect } from 'vitest'
import { type BadInputIds, type BadInputRow, buildRows } from './row.ts'

/** Rows 98 to 101 and 87 to 91: review, organizations, deprecated endpoints, and webhooks. */

const issue = { call: 'POST /issues', status: 400 } as const
const pinned = (ids: BadInputIds, fields: object) => ({
  ...{ job: ids.job, frame: 0, position: [1, 2, 3, 4], message: 'x' },
  ...fields,
})

const review: BadInputRow[] = [
  ...buildRows(
    { 'an empty message': '', 'a message of a megabyte': 'x'.repeat(1_000_000) },
    (message) => ({
      ...{
        row: 98,
        ...issue,
        json: (ids: BadInputIds) => pinned(ids, { message }),
        field: 'message',
      },
    }),
  ),
  ...buildRows(
    {
      'a position with an odd number of values': [1, 2, 3],
      'words as position': ['x', 'y'],
      'a text as position': 'here',
    },
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
    what: 'an invalid e-mail address',
    ...{ ...invite, json: { email: 'nobody', role: 'worker' }, status: 400, field: 'email' },
  },
  {
    row: 99,
    what: "a role above one's own",
    ...{ ...invite, as: 'mo', json: { email: 'x@example.org', role: 'maintainer' }, status: 403 },
  },
  {
    row: 99,
    what: 'a repeated invitation',
    ...{ ...invite, json: { email: 'waiting@example.org', role: 'worker' }, status: 400 },
  },
  {
    row: 99,
    what: 'the removal of the owner',
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
      'the status of the restore of a project': 'POST /projects/backup?rq_id=x',
      'the status of the restore of a task': 'POST /tasks/backup?rq_id=x',
      'the status of an import': 'GET /tasks/{task}/annotations/?action=import_status',
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
    what: 'the status of the media of a task',
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
    what: 'the preview of an empty project with Prefer: handling=empty',
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
    'an address without a scheme': 'example.org',
    'an address with another scheme': 'ftp://example.org/',
    'an address without a host': 'https://',
    'an address of 8,193 characters': `https://example.org/${'a'.repeat(8173)}`,
    'a password in an address': 'https://a:b@example.org/',
  }).map(([what, target_url]) => webhook(what, { target_url }, 'target_url', 87)),
  ...Object.entries({
    'a link-local address': 'https://169.254.169.254/',
    'a private IPv4 address mapped to IPv6': 'https://[::ffff:10.0.0.1]/',
    'a host name of the cluster': 'https://a.svc.cluster.local/',
  }).map(([what, target_url]) => webhook(what, { target_url }, 'target_url', 88)),
  ...Object.entries({
    'an unknown event': 'x',
    'an unknown event among others': 'update:task,x',
    'no event': '',
  }).map(([what, events]) => webhook(what, { events }, 'events', 89)),
  webhook('an event of organizations', { events: 'create:project' }, 'non_field_errors', 89),
  webhook('an unknown webhook type', { type: 'user' }, 'type', 90),
  webhook('a secret of 65 characters', { secret: 'x'.repeat(65) }, 'secret', 91),
  webhook('an object as secret', { secret: {} }, 'secret', 91),
  webhook('an unknown content type', { content_type: 'text/xml' }, 'content_type', 91),
  webhook('a word as boolean', { is_active: 'perhaps' }, 'is_active', 91),
  webhook('null as boolean', { enable_ssl: null }, 'enable_ssl', 91),
]

export const team: BadInputRow[] = [...review, ...organizations, ...old, ...webhooks]

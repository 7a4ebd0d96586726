import { type BadInputIds, type BadInputRow, buildRows } from './row.ts'

/** Rows 36 to 47 and 92: projects, labels, tasks, jobs and their changes. */

const create = { call: 'POST /projects', status: 400 } as const
const change = { call: 'PATCH /projects/{project}', status: 400 } as const
const named = (fields: object) => ({ name: 'a', ...fields })

const names: BadInputRow[] = [
  ...buildRows(
    {
      'no name': {},
      'an empty name': { name: '' },
      'a name of only spaces': { name: '   ' },
      'a null name': { name: null },
      'a boolean name': { name: true },
      'an object as name': { name: {} },
      'a name of 257 characters': { name: 'x'.repeat(257) },
    },
    (json) => ({ row: 36, ...create, json, field: 'name' }),
  ),
  {
    row: 36,
    what: 'a number as name',
    ...{ call: 'POST /projects', json: { name: 12 }, status: 201 },
    ...{ body: { name: '12' }, changes: true },
  },
  ...buildRows(
    {
      'a name with direction marks': '\u202eא',
      'a name of joined emoji': '👩‍👩‍👧‍👦',
      'a name of 128 emoji': '👩'.repeat(128),
      HTML: '<script>alert(1)</script>',
    },
    (name) => ({
      ...{ row: 37, call: 'POST /projects', json: { name }, status: 201, changes: true },
      body: { name },
    }),
  ),
]

const fields: BadInputRow[] = [
  ...buildRows(
    { 'an unknown status': 'done', null: null, 'a list as status': ['annotation'] },
    (status) => ({
      ...{ row: 38, ...change, json: { status }, field: 'status' },
    }),
  ),
  ...buildRows(
    {
      'an unknown user': 999_999,
      'a negative user id': -1,
      'a word as user id': '1x',
      'a user id of 2^31': 2_147_483_648,
    },
    (assignee_id) => ({ row: 39, ...change, json: { assignee_id }, field: 'assignee_id' }),
  ),
  {
    row: 39,
    what: 'an unknown owner',
    ...create,
    json: named({ owner_id: 999_999 }),
    field: 'owner_id',
  },
  {
    row: 39,
    what: 'an assignee outside of the organization',
    ...{ call: 'POST /projects?org=acme', status: 400, field: 'assignee_id' },
    json: ({ bo }: BadInputIds) => named({ assignee_id: bo }),
  },
  ...buildRows(
    {
      'a script as address': 'javascript:alert(1)',
      'an invalid address': 'not a url',
      'an address of 2,001 characters': `https://example.org/${'a'.repeat(1981)}`,
    },
    (bug_tracker) => ({ row: 40, ...create, json: named({ bug_tracker }), field: 'bug_tracker' }),
  ),
]

const attribute = { name: 'n', mutable: false, input_type: 'number', values: ['0', '10', '1'] }
const car = (attributes: unknown) => [{ name: 'car', attributes }]
const labels: BadInputRow[] = [
  ...buildRows(
    {
      'two labels with one name': [{ name: 'a' }, { name: 'a' }],
      'an empty name': [{ name: '' }],
      'a colour name': [{ name: 'a', color: 'red' }],
      'a truncated colour': [{ name: 'a', color: '#12' }],
      'a colour with invalid digits': [{ name: 'a', color: '#gggggg' }],
      'attributes that are not a list': car('x'),
      'an unknown kind of attribute': car([{ ...attribute, input_type: 'slider' }]),
      'a default outside of its range': car([{ ...attribute, default_value: '11' }]),
      '10,001 labels': Array.from({ length: 10_001 }, (_, nth) => ({ name: `l${nth}` })),
      'labels that are not a list': 'car',
    },
    (given) => ({ row: 41, ...create, json: named({ labels: given }) }),
  ),
  {
    row: 42,
    what: 'a label of another project',
    ...{ call: 'PATCH /projects/{project}', status: 404 },
    json: ({ otherLabel }: BadInputIds) => ({ labels: [{ id: otherLabel, name: 'mine' }] }),
  },
  {
    row: 42,
    what: 'the deletion of a label without an id',
    ...change,
    json: { labels: [{ name: 'car', deleted: true }] },
  },
]

const storages: BadInputRow[] = [
  ...buildRows(
    {
      'an unknown location': { location: 'ftp' },
      'a cloud storage without an id': { location: 'cloud_storage' },
      'a text as storage': 'local',
    },
    (source_storage) => ({
      ...{ row: 43, ...create, json: named({ source_storage }), field: 'source_storage' },
    }),
  ),
]

const unknownKeys: BadInputRow[] = ['projects/{project}', 'tasks/{task}', 'jobs/{job}'].flatMap(
  (path) =>
    buildRows(
      {
        [`an unknown field of ${path}`]: 'nosuch',
        [`the id of ${path}`]: 'id',
        [`the creation date of ${path}`]: 'created_date',
        [`the owner field of ${path}`]: 'owner',
      },
      (key) => ({
        ...{ row: 44, call: `PATCH /${path}`, json: { [key]: 1 }, status: 400 },
        ...{ field: key, code: 'unknown_field' },
      }),
    ),
)

const untouched: BadInputRow[] = [
  {
    row: 44,
    what: 'an unknown field of a webhook',
    ...{ call: 'PATCH /webhooks/{webhook}', json: { nosuch: 1, id: 9 }, status: 200 },
  },
  {
    row: 44,
    what: 'an unknown field of an issue',
    ...{ call: 'PATCH /issues/{issue}', json: { nosuch: 1, id: 9 }, status: 200 },
  },
  ...buildRows(
    {
      'a project': 'projects/{project}',
      'a task': 'tasks/{task}',
      'a job': 'jobs/{job}',
      'a label': 'labels/{label}',
      'an issue': 'issues/{issue}',
      'a comment': 'comments/{comment}',
      'a guide': 'guides/{guide}',
      'an organization': 'organizations/{organization}',
      'a webhook': 'webhooks/{webhook}',
    },
    (path) => ({ row: 45, call: `PATCH /${path}`, json: {}, status: 200 }),
  ),
  ...buildRows(
    { 'the type': { type: 'organization' }, 'the project': { project_id: 1 } },
    (json) => ({
      ...{ row: 92, call: 'PATCH /webhooks/{webhook}', json, status: 200 },
      body: { type: 'project' },
    }),
  ),
  {
    row: 96,
    what: 'an outdated entity tag',
    ...{ call: 'PATCH /projects/{project}', json: { name: 'x' }, status: 412 },
    ...{ headers: { 'if-match': '"old"' }, code: 'changed_by_someone_else' },
  },
  {
    row: 96,
    what: 'an invalid entity tag',
    ...{ call: 'PATCH /projects/{project}', json: { name: 'x' }, status: 400 },
    headers: { 'if-match': 'old' },
  },
]

export const objects: BadInputRow[] = [
  ...names,
  ...fields,
  ...labels,
  ...storages,
  ...unknownKeys,
  ...untouched,
  {
    row: 47,
    what: 'the deletion of a project with a body',
    ...{ call: 'DELETE /projects/{spare}', raw: 'x', headers: { 'content-type': 'text/plain' } },
    ...{ status: 204, changes: true },
  },
]

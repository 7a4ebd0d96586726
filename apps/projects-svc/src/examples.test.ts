import { jobs } from '@reticle/contracts/api/jobs'
import { labels } from '@reticle/contracts/api/labels'
import { media } from '@reticle/contracts/api/media'
import type { Operation } from '@reticle/contracts/api/operation'
import { projects } from '@reticle/contracts/api/projects'
import { tasks } from '@reticle/contracts/api/tasks'
import { toAbsoluteLinks } from '@reticle/kit/net/links'
import { callAs } from '@reticle/kit/testing/call'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testOrganizations } from './testing/organizations.ts'
import { frameAt, frameLines } from './testing/workspace.ts'

/** Examples of the REST reference, compared key by key, with the ids of those examples. */

const { db, as, over } = await testOrganizations()
const services = over('in-process')

/** Sets the id of the next row of a table. */
const nextId = (table: string, id: number) =>
  sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${id - 1})`.execute(db)
const dated = (table: string, id: number, created: string, updated: string) =>
  sql`update ${sql.table(table)} set created_date = ${created}, updated_date = ${updated}
    where id = ${id}`.execute(db)
const shown = (operation: Operation, record: object) =>
  JSON.parse(JSON.stringify(toAbsoluteLinks(operation.answer, record, 'https://host/api')))

/** Adds a user of the organization with id 2. */
async function addPerson(id: number, username: string, first_name: string, last_name: string) {
  await nextId('users', id)
  await db
    .insertInto('users')
    .values({ username, first_name, last_name, email: '', password_hash: '', role: 'user' })
    .execute()
  const role = id === 3 ? ('owner' as const) : ('worker' as const)
  const membership = { organization_id: 2, user_id: id, role, is_active: true }
  await db.insertInto('memberships').values(membership).execute()
}

await nextId('organizations', 2)
await db.insertInto('organizations').values({ slug: 'acme', name: 'acme' }).execute()
await addPerson(3, 'anna', 'Anna', 'Lind')
await addPerson(5, 'cy', 'Cy', 'Moe')
const caller = callAs({ user_id: 3, username: 'anna', role: 'user' })
const anna = await as({ id: 3, username: 'anna', call: caller }, 2)

const owner = {
  url: 'https://host/api/users/3',
  id: 3,
  username: 'anna',
  first_name: 'Anna',
  last_name: 'Lind',
}
const car = {
  id: 40,
  name: 'car',
  color: '#3d6ebe',
  type: 'any',
  attributes: [
    {
      id: 90,
      name: 'color',
      mutable: true,
      input_type: 'select',
      default_value: 'red',
      values: ['red', 'blue'],
    },
  ],
  sublabels: [],
  project_id: 7,
  parent_id: null,
  has_parent: false,
}
const local = { id: 57, location: 'local', cloud_storage_id: null }

test('a project, a task in it, its media and a job match the documented examples', async () => {
  for (const [table, id] of [
    ...[['projects', 7] as const, ['labels', 40] as const, ['attributes', 90] as const],
    ...[['storages', 57] as const, ['tasks', 12] as const, ['jobs', 31] as const],
  ])
    await nextId(table, id)
  const select = 'select' as const
  const attribute = { name: 'color', mutable: true, input_type: select, values: ['red', 'blue'] }
  const named = { name: 'car', color: '#3d6ebe', attributes: [attribute] }
  const source_storage = { location: 'local' as const }
  const body = { name: 'Street scenes', labels: [named], source_storage }
  await services.projects.createProject({ body }, anna)
  const batch = { name: 'Batch 1', project_id: 7, subset: 'train', overlap: 2, segment_size: 5 }
  await services.tasks.createTask({ body: batch }, anna)
  const frames = Array.from({ length: 10 }, (_, index) =>
    frameAt(index, { name: `a/000${index + 1}.jpg`, width: 1920, height: 1080 }),
  )
  const query = { task_id: 12, call_id: 'attach-12', image_quality: 70, chunk_size: 36 }
  await services.media.attachMedia({ ...query, body: frameLines(frames) }, anna)
  await dated('projects', 7, '2026-02-01T10:00:00Z', '2026-03-01T10:06:00Z')
  await dated('tasks', 12, '2026-03-01T09:00:00Z', '2026-03-01T10:06:00Z')

  expect(shown(projects.getProject, await services.projects.getProject({ id: 7 }, anna))).toEqual({
    url: 'https://host/api/projects/7',
    id: 7,
    name: 'Street scenes',
    owner,
    assignee: null,
    assignee_updated_date: null,
    status: 'annotation',
    labels: [car],
    bug_tracker: '',
    guide_id: null,
    task_subsets: ['train'],
    dimension: '2d',
    revision: 1,
    created_date: '2026-02-01T10:00:00.000Z',
    updated_date: '2026-03-01T10:06:00.000Z',
    organization: 2,
    organization_id: 2,
    source_storage: local,
    target_storage: null,
    tasks: { count: 1, url: 'https://host/api/tasks?project_id=7' },
  })

  expect(shown(tasks.getTask, await services.tasks.getTask({ id: 12 }, anna))).toEqual({
    url: 'https://host/api/tasks/12',
    id: 12,
    name: 'Batch 1',
    project_id: 7,
    project_name: 'Street scenes',
    owner,
    assignee: null,
    assignee_updated_date: null,
    status: 'annotation',
    size: 10,
    mode: 'annotation',
    dimension: '2d',
    media_type: 'image',
    subset: 'train',
    bug_tracker: '',
    overlap: 2,
    segment_size: 5,
    data: 12,
    data_chunk_size: 36,
    data_compressed_chunk_type: 'imageset',
    data_original_chunk_type: 'imageset',
    data_cloud_storage_id: null,
    image_quality: 70,
    guide_id: null,
    revision: 2,
    created_date: '2026-03-01T09:00:00.000Z',
    updated_date: '2026-03-01T10:06:00.000Z',
    organization: 2,
    organization_id: 2,
    source_storage: null,
    target_storage: null,
    jobs: { count: 3, completed: 0, validation: 0, url: 'https://host/api/jobs?task_id=12' },
    labels: [car],
    validation_mode: null,
    consensus_enabled: false,
  })

  await sql`update data_sets set chunks_updated_date = '2026-03-01T09:00:05Z'`.execute(db)
  const meta = await services.media.getTaskDataMeta({ id: 12 }, anna)
  const [first] = meta.frames
  const { deleted_frames: _, ...described } = shown(media.getTaskDataMeta, meta)
  expect({ ...described, frames: [first] }).toEqual({
    chunk_size: 36,
    size: 10,
    image_quality: 70,
    start_frame: 0,
    stop_frame: 9,
    frame_filter: '',
    storage: 'local',
    cloud_storage_id: null,
    chapters: null,
    chunks_updated_date: '2026-03-01T09:00:05.000Z',
    included_frames: null,
    frames: [
      {
        name: 'a/0001.jpg',
        width: 1920,
        height: 1080,
        related_files: 0,
        has_related_context: false,
      },
    ],
  })

  const pinned = { job: 31, frame: 0, position: [1, 2, 3, 4], message: 'look' }
  await services.issues.createIssue({ body: pinned }, anna)
  await nextId('guides', 3)
  await services.guides.createGuide({ body: { project_id: 7, markdown: '' } }, anna)
  await services.jobs.updateJob({ id: 31, body: { assignee: 5, state: 'in progress' } }, anna)
  await dated('jobs', 31, '2026-03-01T09:00:05Z', '2026-03-01T10:06:00Z')
  await sql`update jobs set assignee_updated_date = '2026-03-01T09:10:00Z' where id = 31`.execute(
    db,
  )
  expect(shown(jobs.getJob, await services.jobs.getJob({ id: 31 }, anna))).toEqual({
    url: 'https://host/api/jobs/31',
    id: 31,
    task_id: 12,
    task_name: 'Batch 1',
    project_id: 7,
    project_name: 'Street scenes',
    assignee: {
      url: 'https://host/api/users/5',
      id: 5,
      username: 'cy',
      first_name: 'Cy',
      last_name: 'Moe',
    },
    assignee_updated_date: '2026-03-01T09:10:00.000Z',
    guide_id: 3,
    dimension: '2d',
    mode: 'annotation',
    media_type: 'image',
    bug_tracker: '',
    status: 'annotation',
    stage: 'annotation',
    state: 'in progress',
    type: 'annotation',
    frame_count: 5,
    start_frame: 0,
    stop_frame: 4,
    data_chunk_size: 36,
    data_compressed_chunk_type: 'imageset',
    data_original_chunk_type: 'imageset',
    created_date: '2026-03-01T09:00:05.000Z',
    updated_date: '2026-03-01T10:06:00.000Z',
    issues: { url: 'https://host/api/issues?job_id=31', count: 1 },
    labels: { url: 'https://host/api/labels?job_id=31' },
    organization: 2,
    source_storage: null,
    target_storage: null,
    parent_job_id: null,
    replicas_count: 0,
    consensus_replicas: 0,
    revision: 2,
  })
})

test('a skeleton matches the documented example', async () => {
  const line =
    '<line x1="40" y1="20" x2="40" y2="60" data-type="edge" data-node-from="1" data-node-to="2"></line>'
  const node = (id: number, cy: number, label: string) =>
    `<circle r="1.5" cx="40" cy="${cy}" data-type="element node" data-element-id="${id}" data-node-id="${id}" ${label}></circle>`
  const drawing = (head: string, foot: string) => line + node(1, 20, head) + node(2, 60, foot)
  await nextId('labels', 41)
  const points = 'points' as const
  const skeleton = {
    name: 'person',
    color: '#be8c3d',
    type: 'skeleton' as const,
    svg: drawing('data-label-name="head"', 'data-label-name="foot"'),
    sublabels: [
      { name: 'head', color: '#3dbe5a', type: points },
      { name: 'foot', color: '#be3d9b', type: points },
    ],
  }
  await services.projects.updateProject({ id: 7, body: { labels: [skeleton] } }, anna)
  const part = { type: 'points', attributes: [], has_parent: true }
  expect(shown(labels.getLabel, await services.labels.getLabel({ id: 41 }, anna))).toEqual({
    id: 41,
    name: 'person',
    color: '#be8c3d',
    type: 'skeleton',
    attributes: [],
    svg: drawing('data-label-id="42"', 'data-label-id="43"'),
    sublabels: [
      { id: 42, name: 'head', color: '#3dbe5a', ...part },
      { id: 43, name: 'foot', color: '#be3d9b', ...part },
    ],
    project_id: 7,
    parent_id: null,
    has_parent: false,
  })
})

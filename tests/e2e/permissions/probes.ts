import { restOperations } from '@reticle/contracts'
import type { AnyJson, ApiRequestInit } from '../../support/client.ts'
import { annotationFile, assetForm, datasetFile } from '../../support/pictures.ts'
import { tus } from '../../support/tus.ts'
import type { ObjectRelation, RowName } from './meaning.ts'
import type { Chain } from './world.ts'

/** One call for each action of a row in the table. No call has a lasting effect that another one could see. */
export interface Probe {
  row: RowName
  operation: string
  /** Id of the object in the path. */
  id?: number
  /** Key of the object in the path. Created for the call if the call may delete it. */
  key?: string | (() => Promise<string>)
  query?: string
  sent?: ApiRequestInit
  /** Status if permitted; `listed`: the list contains the object if permitted, and omits it otherwise. */
  permitted: number | 'listed'
}

export const operationOf = (name: string) => {
  const found = restOperations.find((one) => one.name === name)
  if (!found) throw new Error(`there is no operation ${name}`)
  return found
}

/** Returns the method and the address with its ids. */
export async function addressOf(probe: Omit<Probe, 'row'>): Promise<[string, string]> {
  const { operation, id, query = '' } = probe
  const key = typeof probe.key === 'function' ? await probe.key() : probe.key
  const { method, path } = operationOf(operation)
  const named = path
    .replace(':id', String(id))
    .replace(/:(?:key|uuid|file_id|revision)/, String(key))
  return [String(method), `${named}${query}`]
}

type More = Omit<Probe, 'row' | 'operation'>
const json = (body: AnyJson): Pick<Probe, 'sent'> => ({ sent: { json: body } })
const ok = (id: number, more: Partial<More> = {}): More => ({ id, permitted: 200, ...more })
const listed = ({ id }: AnyJson, by = 'id'): More => ({
  query: `?${by}=${id}`,
  permitted: 'listed',
})
/** The outdated If-Match prevents the change (412 if permitted). */
const changedSince = (id: number): More => ({
  id,
  sent: { headers: { 'if-match': '"0-0"' } },
  permitted: 412,
})
/** The unknown format is reported only to callers who may import. */
const imported = (id: number, form = annotationFile('{}', 'a.json')): More => ({
  id,
  query: '?format=none',
  sent: { form },
  permitted: 400,
})
/** An unknown upload, which is reported only to callers who might have started it. */
const ofFiles = (of: string, id: number, org?: string): [string, More][] =>
  ['get', 'send', 'delete'].map((verb) => [
    `${verb}${of}File`,
    {
      id,
      key: '1_none',
      ...(org !== undefined && { query: `?org=${org}` }),
      sent: verb === 'send' ? { raw: 'x', headers: chunk } : {},
      permitted: 404,
    },
  ])
/** The unknown location is reported only to callers who may restore there. */
const restored = (org: string): More => ({
  query: `?org=${org}&location=none`,
  sent: { form: new FormData() },
  permitted: 400,
})
/** The unknown revision is reported only to callers who may view or change annotations. */
const unknownRevision = (id: number): More => ({ id, key: '999999', permitted: 404 })
const chunk = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
const idOf = (person: AnyJson) => person?.id ?? null

/** Relations of the callers of a resource's probes: every relation that matters, and the next weaker one. */
export const relationsByResource: Record<string, readonly ObjectRelation[]> = {
  project: ['project owner', 'project assignee', 'task owner'],
  task: ['project owner', 'project assignee', 'task owner', 'task assignee', 'job assignee'],
  job: ['project assignee', 'task owner', 'task assignee', 'job assignee', 'nobody'],
  label: ['project owner', 'project assignee', 'task assignee', 'job assignee', 'nobody'],
  issue: [
    ...(['project owner', 'task assignee', 'job assignee'] as const),
    ...(['issue owner', 'issue assignee', 'author'] as const),
  ],
  comment: ['task owner', 'job assignee', 'issue assignee', 'author', 'nobody'],
  guide: ['project owner', 'project assignee', 'task owner', 'job assignee', 'nobody'],
  webhook: ['project owner', 'project assignee', 'nobody'],
  'cloud storage': ['project owner', 'storage owner', 'nobody'],
  events: ['nobody'],
  server: ['nobody'],
}
/** Rows that do not depend on an object are tested once. */
const alone = new Set<string>([
  'project: create, restore backup',
  'task: create without project, restore backup',
  'cloud storage: create',
])
export const relationsOf = ({ row }: Probe) =>
  alone.has(row) ? (['nobody'] as const) : (relationsByResource[row.split(':')[0] ?? ''] ?? [])

/** Builds the probes on one chain. */
export function probesOn(chain: Chain): Probe[] {
  return [
    ...ofProject(chain),
    ...ofTask(chain),
    ...ofJob(chain),
    ...ofReview(chain),
    ...ofGuide(chain),
    ...ofBucket(chain),
    ...ofOthers(chain),
  ]
}

const rowsOf =
  <R extends string>(row: R) =>
  (operation: string, more: More) => ({ row, operation, ...more })

function ofProject({ project, org }: Chain): Probe[] {
  const { id } = project
  const see = rowsOf('project: list, view, preview')
  const update = rowsOf('project: update name, labels, bug_tracker, status; import dataset')
  const give = rowsOf('project: export annotations, dataset, backup')
  const rule = rowsOf('project: update storages; delete')
  const make = rowsOf('project: create, restore backup')
  const within = `?org=${org}`
  return [
    see('listProjects', listed(project)),
    see('getProject', ok(id)),
    see('getProjectPreview', ok(id)),
    see('getProjectDataMeta', ok(id)),
    see('getProjectAnnotationStatistics', ok(id)),
    make('createProject', {
      ...{ query: within, ...json({ name: 'new' }), permitted: 201 },
    }),
    make('importProjectBackup', restored(org)),
    ...ofFiles('ProjectBackup', 0, org).map(([name, more]) => make(name, more)),
    ...[{ name: 'p' }, { labels: [] }, { bug_tracker: '' }, { status: 'annotation' }].map((body) =>
      update('updateProject', ok(id, json(body))),
    ),
    update('importProjectDataset', imported(id, datasetFile(Buffer.from('PK')))),
    ...ofFiles('ProjectDataset', id).map(([name, more]) => update(name, more)),
    rowsOf('project: update assignee')(
      'updateProject',
      ok(id, json({ assignee_id: idOf(project.assignee) })),
    ),
    rowsOf('project: update owner')(
      'updateProject',
      ok(id, json({ owner_id: idOf(project.owner) })),
    ),
    rule('updateProject', ok(id, json({ source_storage: { location: 'local' } }))),
    rule('deleteProject', changedSince(id)),
    give('exportProjectDataset', { id, query: '?format=none', permitted: 400 }),
    give('exportProjectBackup', { id, query: '?location=none', permitted: 400 }),
  ]
}

function ofTask({ task, project, org }: Chain): Probe[] {
  const { id } = task
  const see = rowsOf('task: list, view, data, meta, preview, annotations read')
  const update = rowsOf(
    'task: update name, labels, bug_tracker, subset; upload data; data/meta; annotations write, import',
  )
  const give = rowsOf('task: export annotations, dataset, backup')
  const hand = rowsOf('task: update owner, assignee, project; delete')
  const make = rowsOf('task: create without project, restore backup')
  const managed = { name: 't', project_id: project.id, labels: [{ name: 'x' }] }
  return [
    see('listTasks', listed(task)),
    see('listTaskRevisions', ok(id)),
    ...['getTask', 'getTaskDataMeta', 'getTaskPreview', 'getTaskAnnotations', 'getTaskStatus'].map(
      (name) => see(name, ok(id)),
    ),
    see('getTaskAnnotationStatistics', ok(id)),
    see('getTaskData', ok(id, { query: '?type=frame&number=0' })),
    see('listFrames', { query: `?search=frame&task_id=${id}`, permitted: 'listed' }),
    make('createTask', { query: `?org=${org}`, ...json({ name: 'new' }), permitted: 201 }),
    make('importTaskBackup', restored(org)),
    ...ofFiles('TaskBackup', 0, org).map(([name, more]) => make(name, more)),
    // Such a task uses the labels of the project, which is reported only to callers who may create it.
    rowsOf('task: create in project')('createTask', { ...json(managed), permitted: 400 }),
    ...[{ name: 't' }, { labels: [] }, { bug_tracker: '' }, { subset: '' }].map((body) =>
      update('updateTask', ok(id, json(body))),
    ),
    update('updateTaskDataMeta', ok(id, json({ deleted_frames: [] }))),
    update('uploadTaskData', { id, sent: { form: new FormData() }, permitted: 400 }),
    update('deleteTaskData', { id, permitted: 409 }), // the upload has ended
    ...['TaskData', 'TaskAnnotations'].flatMap((of) =>
      ofFiles(of, id).map(([name, more]) => update(name, more)),
    ),
    update('updateTaskAnnotations', ok(id, { query: '?action=create', ...json({ shapes: [] }) })),
    update('replaceTaskAnnotations', ok(id, json({ shapes: [] }))),
    update('deleteTaskAnnotations', { id, permitted: 204 }),
    update('importTaskAnnotations', imported(id)),
    hand('updateTask', ok(id, json({ owner_id: idOf(task.owner) }))),
    hand('updateTask', ok(id, json({ assignee_id: idOf(task.assignee) }))),
    hand('updateTask', ok(id, json({ project_id: project.id }))),
    hand('deleteTask', changedSince(id)),
    rowsOf('task: update storages')(
      'updateTask',
      ok(id, json({ target_storage: { location: 'local' } })),
    ),
    give('exportTaskDataset', { id, query: '?format=none', permitted: 400 }),
    give('exportTaskBackup', { id, query: '?location=none', permitted: 400 }),
  ]
}

function ofJob({ job, task }: Chain): Probe[] {
  const { id } = job
  const see = rowsOf('job: list, view, data, meta, preview, annotations read')
  const work = rowsOf('job: update state; data/meta; annotations write, import')
  const hand = rowsOf('job: update stage, assignee')
  const make = rowsOf('job: create (ground truth), delete')
  const layout = rowsOf('job: validation layout read, write')
  const frames = { frame_selection_method: 'manual', frames: [99] }
  const truth = { type: 'ground_truth', task_id: task.id, ...frames }
  return [
    see('listJobs', listed(job)),
    ...['getJob', 'getJobDataMeta', 'getJobPreview', 'getJobAnnotations'].map((name) =>
      see(name, ok(id)),
    ),
    see('getJobAnnotationStatistics', ok(id)),
    see('getJobData', ok(id, { query: '?type=frame&number=0' })),
    work('updateJob', ok(id, json({ state: job.state }))),
    work('updateJobDataMeta', ok(id, json({ deleted_frames: [] }))),
    work('updateJobAnnotations', ok(id, { query: '?action=create', ...json({ shapes: [] }) })),
    work('replaceJobAnnotations', ok(id, json({ shapes: [] }))),
    work('deleteJobAnnotations', { id, permitted: 204 }),
    see('listJobRevisions', ok(id)),
    see('getJobRevision', unknownRevision(id)),
    see('getJobAnnotationsDiff', { id, query: '?from=999999', permitted: 404 }),
    work('restoreJobRevision', unknownRevision(id)),
    work('importJobAnnotations', imported(id)),
    ...ofFiles('JobAnnotations', id).map(([name, more]) => work(name, more)),
    hand('updateJob', ok(id, json({ stage: job.stage }))),
    hand('updateJob', ok(id, json({ assignee: idOf(job.assignee) }))),
    make('createJob', { ...json(truth), permitted: 400 }), // the frame does not exist
    make('deleteJob', { id, permitted: 400 }), // the job is not a ground truth job
    rowsOf('job: export')('exportJobDataset', { id, query: '?format=none', permitted: 400 }),
    layout('getJobValidationLayout', ok(id)),
    layout('getTaskValidationLayout', ok(task.id)),
    layout('updateTaskValidationLayout', ok(task.id, json({}))),
  ]
}

function ofReview({ issue, comment, job }: Chain): Probe[] {
  const see = rowsOf('issue: list, view')
  const update = rowsOf('issue: update (resolve, assignee, position)')
  const outsideOfJob = { job: job.id, frame: 99, position: [1, 2, 3, 4], message: 'x' }
  const { id, resolved, position } = issue
  const same = [{ resolved }, { assignee: idOf(issue.assignee) }, { position }]
  const read = rowsOf('comment: list, view')
  const change = rowsOf('comment: update, delete')
  return [
    see('listIssues', listed(issue)),
    see('getIssue', ok(id)),
    rowsOf('issue: create')('createIssue', { ...json(outsideOfJob), permitted: 400 }),
    ...same.map((body) => update('updateIssue', ok(id, json(body)))),
    rowsOf('issue: delete')('deleteIssue', changedSince(id)),
    read('listComments', listed(comment)),
    read('getComment', ok(comment.id)),
    rowsOf('comment: create')('createComment', {
      ...{ ...json({ issue: id, message: 'y' }), permitted: 201 },
    }),
    change('updateComment', ok(comment.id, json({ message: 'x' }))),
    change('deleteComment', changedSince(comment.id)),
  ]
}

function ofGuide({ project, guide, asset, newAsset, picture }: Chain): Probe[] {
  const see = rowsOf('guide: view, assets view')
  const write = rowsOf('guide: create, update, delete; assets add, remove')
  const another = async () => (await newAsset()).uuid
  return [
    see('getGuide', ok(guide.id)),
    see('getAsset', { key: asset.uuid, permitted: 200 }),
    write('createGuide', { ...json({ project_id: project.id }), permitted: 409 }), // a guide exists already
    write('updateGuide', ok(guide.id, json({ markdown: `![](/api/assets/${asset.uuid})` }))),
    write('deleteGuide', changedSince(guide.id)),
    write('createAsset', { sent: { form: assetForm(guide.id, picture) }, permitted: 201 }),
    write('deleteAsset', { key: another, permitted: 204 }),
  ]
}

function ofBucket({ bucket, org }: Chain): Probe[] {
  const { id, display_name, provider_type, specific_attributes } = bucket
  const see = rowsOf('cloud storage: list, view, content, status, preview, use')
  const change = rowsOf('cloud storage: update, delete')
  const place = { provider_type, resource: 'not-there', specific_attributes }
  const nowhere = { ...place, credentials_type: 'ANONYMOUS_ACCESS' }
  return [
    see('listCloudStorages', listed(bucket)),
    ...[
      ...['getCloudStorage', 'getCloudStorageStatus', 'listCloudStorageContent'],
      'getCloudStorageActions',
    ].map((name) => see(name, ok(id))),
    see('getCloudStoragePreview', { id, permitted: 404 }), // the storage contains no image
    rowsOf('cloud storage: create')('createCloudStorage', {
      ...{ query: `?org=${org}`, ...json({ ...nowhere, display_name }), permitted: 400 },
    }),
    change('updateCloudStorage', ok(id, json({ display_name }))),
    change('deleteCloudStorage', changedSince(id)),
  ]
}

function ofOthers({ project, task, job, label, sublabel }: Chain): Probe[] {
  const change = rowsOf('label: update, delete')
  const within = project.organization_id === null ? '' : `org_id=${project.organization_id}&`
  const log = `${within}location=nowhere` // the unknown location is reported only to permitted callers
  const hook = { type: 'project', target_url: 'https://example.org/', events: 'none' }
  return [
    rowsOf('label: list by project')('listLabels', {
      query: `?project_id=${project.id}`,
      permitted: 200,
    }),
    rowsOf('label: list by task')('listLabels', { query: `?task_id=${task.id}`, permitted: 200 }),
    rowsOf('label: list by job')('listLabels', { query: `?job_id=${job.id}`, permitted: 200 }),
    rowsOf('label: list without parent')('listLabels', listed(label)),
    rowsOf('label: view')('getLabel', ok(label.id)),
    change('updateLabel', ok(label.id, json({ name: 'car' }))),
    change('deleteLabel', { id: sublabel.id, permitted: 400 }), // sublabels are changed with their skeleton
    rowsOf('webhook: create')('createWebhook', {
      ...{ ...json({ ...hook, project_id: project.id }), permitted: 400 }, // the event does not exist
    }),
    rowsOf('server: share listing')('listShare', { query: '?directory=/', permitted: 200 }),
    rowsOf('events: export own')('exportEvents', { query: `?${log}`, permitted: 400 }),
    rowsOf('events: export all of the org')('exportEvents', {
      ...{ query: `?${log}&user_id=999999`, permitted: 400 },
    }),
    rowsOf('events: send')('recordEvents', {
      ...{ ...json({ timestamp: '2026-03-01T10:00:00Z' }), permitted: 201 },
    }),
  ]
}

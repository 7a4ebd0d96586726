import { decodeBackupLines } from '@reticle/contracts/backup-lines'
import { decodeRows } from '@reticle/contracts/row-lines'
import { factsOf, labelOf } from '@reticle/contracts/testing/records'
import { conflict } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import type { OperationDeps } from '../operations/operation.ts'
import { archiveOf, png } from '../testing/archive.ts'
import { restoreWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { authorityOf, servicesOf } from '../testing/services.ts'
import { importBackup } from './import-backup.ts'

/** Calls to other services, in order; `tests/e2e/acceptance` tests that a failure leaves nothing. */

const store = await testStore()
const facts = factsOf({ target: 'project', project_id: null, task_id: null, size: 0, jobs: [] })
let calls: [string, object][] = []
let broken: string | undefined
const note = (name: string, given: object): undefined => {
  calls.push([name, given])
  if (name === broken) throw conflict('no')
}
const named = () => calls.map(([name]) => name)

const labels = [labelOf({ id: 40, name: 'car' })]
const may = (['project', 'task'] as const).map((target) => ({ target, id: 0, user_id: 1, facts }))
const dates = { created_date: '', updated_date: '' }
const guide = { id: 3, task_id: null, project_id: 7, markdown: '', ...dates }

const services = servicesOf({
  tasks: {
    ...authorityOf(may),
    openDraft: async ({ body: { project, labels: given } }) => {
      note('open', { name: project?.name, labels: given.map(({ name }) => name) })
      return { project_id: project ? 7 : null, labels_revision: 0, labels: [] }
    },
    addDraftTask: async ({ name, subset }) => {
      note('task', { name, subset })
      return { task_id: calls.length }
    },
    restoreTask: async ({ task_id, body }) => {
      const lines = []
      for await (const line of decodeBackupLines(body)) lines.push(line)
      const frames = lines.flatMap(({ frame }) => (frame ? [frame.name] : []))
      const own = lines[0]?.task?.labels?.map(({ name }) => name)
      note('restore', { task_id, labels: own, frames, issues: lines.filter((one) => one.issue) })
      return { job_ids: [task_id * 10, task_id * 10 + 1] }
    },
    publishDraft: async (given) => {
      note('publish', given)
      return { project_id: 7, task_ids: [8] }
    },
    dropDraft: async (given) => note('drop', given),
  },
  labels: { getLabelSet: async () => ({ labels_revision: 1, labels }) },
  guides: {
    createGuide: async ({ body }) => {
      note('guide', body)
      return guide
    },
    updateGuide: async ({ body }) => {
      note('text', body)
      return guide
    },
  },
  annotations: {
    writeRows: async ({ body, id, mode, keeps_state }) => {
      let shapes = 0
      for await (const rows of decodeRows(body)) shapes += rows.length
      note('rows', { id, mode, keeps_state, shapes })
      return { tags: 0, shapes, tracks: 0, duplicates: 0 }
    },
  },
})

beforeEach(() => {
  calls = []
  broken = undefined
})

const shape = { type: 'rectangle', frame: 0, label: 'car', points: [1, 2, 3, 4] }
const jobs = [
  { start_frame: 0, stop_frame: 0, status: 'annotation' },
  { start_frame: 1, stop_frame: 1, status: 'completed' },
]
const task = {
  version: '1.0',
  name: 'Batch',
  subset: 'train',
  data: {},
  jobs,
  labels: [{ name: 'car' }],
}
const issues = [{ job: 0, frame: 0, position: [1, 2], resolved: false, owner: null, comments: [] }]

async function membersOf(folder: string) {
  return {
    [`${folder}task.json`]: JSON.stringify(task),
    [`${folder}annotations.json`]: JSON.stringify([
      { shapes: [shape, shape] },
      { shapes: [shape] },
    ]),
    [`${folder}data/a.png`]: await png(8, 6),
    [`${folder}data/b.png`]: await png(8, 6),
  }
}

async function projectWork() {
  const zip = await archiveOf({
    'project.json': JSON.stringify({ version: '1.0', name: 'P', labels: [{ name: 'car' }] }),
    'annotation_guide.md': 'how',
    ...(await membersOf('task_0/')),
    ...(await membersOf('task_1/')),
    'task_1/issues.json': JSON.stringify(issues),
  })
  const file = await uploadFile(store.blobs, 'p.zip', zip)
  return restoreWork(file, { target: 'project' })
}

test('tasks are made one after the other in a draft, which is published at the end', async () => {
  const keptFor: number[] = []
  const shareWithTask: OperationDeps['shareWithTask'] = async (id) => {
    keptFor.push(id)
  }
  const work = await projectWork()
  const run = await runOf(store, services, { shareWithTask })
  const outcome = await importBackup(work, run)
  const frames = ['a.png', 'b.png']
  expect(calls).toMatchObject([
    ['open', { name: 'P', labels: ['car'] }],
    ['guide', { project_id: 7 }],
    ['text', { markdown: 'how' }],
    ['task', { name: 'Batch', subset: 'train' }],
    ['restore', { task_id: 4, labels: [], frames, issues: [] }],
    ['rows', { id: 40, mode: 'replace', keeps_state: false, shapes: 2 }],
    ['rows', { id: 41, keeps_state: true, shapes: 1 }],
    ['task', {}],
    ['restore', { task_id: 8, issues: [{ issue: issues[0] }] }],
    ['rows', { id: 80 }],
    ['rows', { id: 81 }],
    ['publish', { call_id: work.request_uuid }],
    ['drop', {}],
  ])
  expect(keptFor).toEqual([4, 8])
  expect(run.stages.slice(-2)).toEqual(['Storing annotations', 'final'])
  expect(outcome).toMatchObject({ result_id: 7, report: { created: { shapes: 6 } } })
})

test('a task outside a project has its own labels', async () => {
  const file = await uploadFile(store.blobs, 't.zip', await archiveOf(await membersOf('')))
  await importBackup(restoreWork(file), await runOf(store, services))
  expect(calls.slice(0, 3)).toMatchObject([
    ['open', { labels: [] }],
    ['task', { name: 'Batch' }],
    ['restore', { labels: ['car'] }],
  ])
})

test('the report of a restore names the sources that became manual', async () => {
  const sets = [
    {
      shapes: [
        { ...shape, source: 'Ground truth' },
        { ...shape, source: 'auto' },
      ],
    },
  ]
  const members = { ...(await membersOf('')), 'annotations.json': JSON.stringify(sets) }
  const file = await uploadFile(store.blobs, 't.zip', await archiveOf(members))
  const { report } = await importBackup(restoreWork(file), await runOf(store, services))
  expect(report).toMatchObject({
    created: { shapes: 2 },
    converted: 1,
    entries: [
      {
        kind: 'converted',
        code: 'unknown-source',
        count: 1,
        reason: 'the source "Ground truth" is unknown, it becomes manual',
        examples: [{ file: 'annotations.json', item: '[0].shapes[0]' }],
      },
    ],
  })
})

test.each(['text', 'restore', 'rows', 'publish'])(
  'when %s fails, the draft is dropped',
  async (name) => {
    broken = name
    await expect(importBackup(await projectWork(), await runOf(store, services))).rejects.toThrow(
      'no',
    )
    expect(named().slice(-2)).toEqual([name, 'drop'])
  },
)

test('a restore that is cancelled before its last call drops its draft', async () => {
  const stop = new AbortController()
  const enterFinal = async () => {
    stop.abort()
    stop.signal.throwIfAborted()
  }
  const run = await runOf(store, services, { signal: stop.signal, enterFinal })
  await expect(importBackup(await projectWork(), run)).rejects.toThrow()
  expect(named().slice(-2)).toEqual(['rows', 'drop'])
})

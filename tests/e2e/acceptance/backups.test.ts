import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { unzip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { craftZip } from '../../support/crafted-zip.ts'
import { jobsOf } from '../../support/factories.ts'
import { fixture, hasFixtures } from '../../support/fixtures.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, shareReticle, startReticle } from '../../support/reticle.ts'
import { sendFile } from '../../support/tus.ts'
import { describeProject, describeTask } from '../backups/described.ts'
import { backupForm, backupOf, restoreOf } from '../backups/round-trip.ts'
import { addProject, addTask } from '../backups/world.ts'

/** Backups restored on the same and on another server, and archives that must leave nothing behind. */

vi.setConfig({ testTimeout: 120_000 })

const { path, remove } = dataDirectory()
let second: Reticle
let api: ApiClient
let other: ApiClient
let project: AnyJson
let archive: Buffer
beforeAll(async () => {
  second = await startReticle(path)
  api = (await shareReticle()).admin
  other = second.admin
  project = await addProject(api)
  archive = await backup(`projects/${project.id}`)
}, 180_000)
afterAll(async () => {
  await second.stop()
  remove()
})

const backup = (of: string, query?: string) => backupOf(api, of, query)
const restore = (bytes: Uint8Array, of = 'projects', to = api) => restoreOf(to, bytes, of)
const members = (bytes: Buffer) => unzip(bytes)
/** Returns the archive with members changed, added or, for null, removed. */
async function changed(bytes: Buffer, given: Record<string, string | null>): Promise<Buffer> {
  const all = new Map<string, Uint8Array>(await members(bytes))
  for (const [name, text] of Object.entries(given))
    if (text === null) all.delete(name)
    else all.set(name, Buffer.from(text))
  return craftZip([...all].map(([name, content]) => ({ name, bytes: content })))
}

async function document(bytes: Buffer, name: string): Promise<AnyJson> {
  return JSON.parse(String((await members(bytes)).get(name)))
}

describe('a backup of a project with objects of every kind', () => {
  test('the backup is restored field by field on the same server', async () => {
    const request = await restore(archive)
    expect(request).toMatchObject({
      ...{ status: 'finished', message: '', result_url: null },
      operation: { type: 'import:backup', target: 'project' },
    })
    expect(request.id).toMatch(/^action=import&target=project&id=[\da-f-]{36}&subresource=backup$/)
    expect(request.result_id).not.toBe(project.id)
    const restored = await describeProject(api, request.result_id)
    expect(restored).toEqual(await describeProject(api, project.id))
  })

  test('the backup is restored on another server, and a backup of the copy can be restored again', async () => {
    const { result_id, message } = await restore(archive, 'projects', other)
    expect(message).toBe('')
    const described = await describeProject(api, project.id)
    expect(await describeProject(other, result_id)).toEqual(described)
    const again = await other.done('POST', `/projects/${result_id}/backup/export`)
    const { result_url } = await other.finished(again)
    const second = await restore((await other.bytes(result_url)).bytes)
    expect(await describeProject(api, second.result_id)).toEqual(described)
  })

  test('a restored project stays intact when another copy is deleted', async () => {
    const [one, two] = [await restore(archive), await restore(archive)]
    const before = await describeProject(api, two.result_id)
    await api.done('DELETE', `/projects/${one.result_id}`)
    expect(await describeProject(api, two.result_id)).toEqual(before)
  })

  test('the archive contains the files that CVAT backups contain', async () => {
    const files = await members(archive)
    expect([...files.keys()].filter((name) => !name.includes('data/'))).toEqual([
      ...['project.json', 'annotation_guide.md', 'assets/mirror _1_.png'],
      ...['task_0/task.json', 'task_0/annotations.json', 'task_0/issues.json'],
      ...['task_1/task.json', 'task_1/annotations.json'],
    ])
    const { version, generator } = await document(archive, 'project.json')
    expect([version, generator]).toEqual(['1.0', 'service/2.58.1'])
  })
})

describe('a backup of a task', () => {
  test('a backup uploaded in chunks is restored with the guide of the task', async () => {
    const { id } = await addTask(api)
    const bytes = await backup(`tasks/${id}`, '?lightweight=false')
    const name = await sendFile(api, '/tasks/backup/', { name: 'a.zip', bytes }, 5000)
    const headers = { 'upload-finish': '' }
    const query = `?filename=${encodeURIComponent(name)}`
    const started = await api.done('POST', `/tasks/backup/${query}`, { headers })
    const { result_id } = await api.finished(started)
    expect(await describeTask(api, result_id)).toEqual(await describeTask(api, id))
  })

  test('frames keep their numbers in the source', async () => {
    const json = { name: 'chosen', labels: [{ name: 'car' }] }
    const { id } = await api.done('POST', '/tasks', { json })
    const fields = { start_frame: '1', stop_frame: '7', frame_filter: 'step=2' }
    const form = formOf(await createImages(9), fields)
    await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
    const { result_id } = await restore(await backup(`tasks/${id}`), 'tasks')
    expect(await describeTask(api, result_id)).toEqual(await describeTask(api, id))
  })

  test.each(['task_file', 'backup_file'])(
    'the archive may be sent in the form field %s',
    async (field) => {
      const { id } = await addTask(api)
      const form = backupForm(await backup(`tasks/${id}`), field)
      await api.finished(await api.done('POST', '/tasks/backup/', { form }))
    },
  )
})

describe('restores without effect', () => {
  const count = async () => [
    (await api.done('GET', '/projects?page_size=1')).count,
    (await api.done('GET', '/tasks?page_size=1')).count,
  ]

  test('a dry run reports what a restore would create, and creates nothing', async () => {
    const before = await count()
    const form = backupForm(archive)
    const { rq_id } = await api.done('POST', '/projects/backup/?dry_run=true', { form })
    expect(rq_id).toMatch(/&options=[\da-f]{8}$/)
    const tried = await api.finished({ rq_id })
    expect(tried.result_id).toBeNull()
    expect(await count()).toEqual(before)
    const { report } = await restore(archive)
    expect(tried.report).toEqual(report)
    expect(report.created.shapes).toBeGreaterThan(0)
  })

  test.each<[string, () => Promise<Buffer>, string]>([
    ['a truncated archive', async () => archive.subarray(0, archive.length - 700), 'backup.zip'],
    ['no archive', async () => Buffer.from('nothing'), 'backup.zip'],
    [
      'an archive of other files',
      async () => craftZip([{ name: 'a.txt', bytes: Buffer.from('x') }]),
      'The archive is not a backup: it has neither project.json nor task.json',
    ],
    [
      'a task backup sent as a project backup',
      async () => craftZip([{ name: 'task.json', bytes: Buffer.from('{}') }]),
      'The archive is a backup of a task, not of a project: restore it as a task',
    ],
    [
      'another version',
      () => changed(archive, { 'project.json': '{"name":"x","version":"0.9"}' }),
      'project.json: "0.9" version is not supported. Upgrades from versions before 2.0 cannot be done directly',
    ],
    [
      'honeypots',
      async () => {
        const task = await document(archive, 'task_0/task.json')
        task.data.validation_layout.mode = 'gt_pool'
        return changed(archive, { 'task_0/task.json': JSON.stringify(task) })
      },
      "task_0/task.json: Validation mode 'gt_pool' is not supported",
    ],
    [
      'a broken member',
      () => changed(archive, { 'task_1/annotations.json': '[{"tags":[' }),
      'task_1/annotations.json',
    ],
    [
      'an unknown label',
      () =>
        changed(archive, {
          'task_0/annotations.json': '[{"tags":[{"frame":0,"label":"bus","attributes":[]}]}]',
        }),
      "there is no label 'bus'",
    ],
    [
      'more sets than jobs',
      () =>
        changed(archive, {
          'task_1/annotations.json': JSON.stringify(Array(99).fill({ tags: [] })),
        }),
      'more sets than the 6 jobs',
    ],
    [
      'time intervals',
      () => changed(archive, { 'task_0/annotations.json': '[{"intervals":[{}]}]' }),
      'intervals are not supported',
    ],
    [
      'a missing image',
      () => changed(archive, { 'task_0/data/frame-003.png': null }),
      'frame-003.png',
    ],
    [
      'an annotation that only its service refuses',
      () =>
        changed(archive, {
          'task_1/annotations.json':
            '[{"shapes":[{"type":"polygon","frame":0,"label":"car","points":[1,2],"attributes":[]}]}]',
        }),
      '',
    ],
    [
      'a guide with a file of another kind',
      () => changed(archive, { 'assets/mirror _1_.png': 'no picture' }),
      'assets/mirror _1_.png',
    ],
  ])('a restore fails for %s', async (_, make, message) => {
    const before = await count()
    const request = await restore(await make())
    expect(request).toMatchObject({ status: 'failed', result_id: null })
    expect(request.message).toContain(message)
    expect(await count()).toEqual(before)
  })
})

describe.skipIf(!hasFixtures)('backups made by CVAT', () => {
  const facts: AnyJson = hasFixtures ? JSON.parse(String(fixture('exports/facts.json'))) : {}

  test('a project backup made by CVAT is restored', async () => {
    const { result_id, message } = await restore(fixture('backups/project.zip'))
    expect(message).toBe('')
    const described = await describeProject(api, result_id)
    expect(described).toMatchObject({
      ...{ name: 'Street scenes', bug_tracker: 'https://bugs.example.com/7' },
      guide: { markdown: '# Guide\n\nDraw tight boxes.' },
    })
    expect(described.tasks).toMatchObject([
      { name: 'Batch 1: shapes', subset: 'Train', size: 8, overlap: 1, segment_size: 4 },
      { name: 'Batch 2: tracks', subset: 'Validation', size: 20, meta: { deleted_frames: [17] } },
    ])
    const [, , last] = described.tasks[0].jobs
    expect(last).toMatchObject({ stage: 'validation', state: 'new', status: 'validation' })
    const shapes = described.tasks[0].jobs.flatMap((job: AnyJson) => job.sets[1])
    const expected = facts.tasks['Batch 1: shapes'].annotations.shapes
    expect(shapes).toHaveLength(expected.length)
    const ellipse = shapes.find((one: AnyJson) => one.type === 'ellipse')
    expect(ellipse.points).toEqual([230, 110, 50, 50])
    expect(described.tasks[1].jobs[0].sets[2]).toHaveLength(2)
  })

  test.each(['shapes', 'tracks'])(
    'a backup of the task of %s made by CVAT is restored',
    async (name) => {
      const { result_id, message } = await restore(fixture(`backups/task-${name}.zip`), 'tasks')
      expect(message).toBe('')
      const jobs = await jobsOf(api, result_id)
      const ranges = facts.tasks[name === 'shapes' ? 'Batch 1: shapes' : 'Batch 2: tracks'].jobs
      const found = jobs.map((job) => [job.start_frame, job.stop_frame])
      expect(found.sort()).toEqual([...ranges].sort())
    },
  )
})

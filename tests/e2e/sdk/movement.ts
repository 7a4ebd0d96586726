import { ApiError, type Client, type InputOf } from '@reticle/sdk'
import { expect } from 'vitest'
import { newTask } from './work.ts'
import type { SdkWorld } from './world.ts'

/** Calls the operations of requests, uploads, downloads, exports, imports and the event log, each once. */

const coco = { format: 'COCO 1.0' }
const ofRequest = ({ result_url }: { result_url: string | null }) =>
  new URL(result_url ?? '').searchParams.get('rq_id') ?? ''

export async function checkExports(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { project, task, job } = await newTask(world)
  const ended = async (started: Promise<{ rq_id: string }>) =>
    ofRequest(await admin.follow(started))
  const files = [
    await admin.downloadProjectDataset({
      id: project,
      rq_id: await ended(admin.exportProjectDataset({ id: project, ...coco })),
    }),
    await admin.downloadTaskDataset({
      id: task,
      rq_id: await ended(admin.exportTaskDataset({ id: task, ...coco })),
    }),
    await admin.downloadJobDataset({
      id: job,
      rq_id: await ended(admin.exportJobDataset({ id: job, ...coco })),
    }),
    await admin.downloadProjectBackup({
      id: project,
      rq_id: await ended(admin.exportProjectBackup({ id: project })),
    }),
    await admin.downloadTaskBackup({
      id: task,
      rq_id: await ended(admin.exportTaskBackup({ id: task })),
    }),
    await admin.downloadEvents({ rq_id: await ended(admin.exportEvents()) }),
  ]
  for (const file of files) expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(0)
}

export async function checkRequests(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { task } = await newTask(world)
  const { results } = await admin.listRequests({ task_id: task })
  const rq_id = results[0]?.id ?? ''
  await admin.getRequest({ rq_id, wait: 1 })
  expect(await (await admin.streamRequest({ rq_id })).text()).toContain('event: request')
  const all = await admin.streamRequests()
  await all.body?.cancel()
  const running = await admin.exportTaskBackup({ id: task })
  await cancelSoon(admin, running.rq_id, task)
}

/** If the request ends before it is cancelled, a larger one is started. */
async function cancelSoon(admin: Client, first: string, task: number): Promise<void> {
  let rq_id = first
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      return await admin.cancelRequest({ rq_id })
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 400) throw thrown
    }
    const filename = `again-${attempt}.zip`
    rq_id = (await admin.exportTaskDataset({ id: task, ...coco, filename, save_images: true }))
      .rq_id
  }
  throw new Error('every request ended before it could be cancelled')
}

const hello = new TextEncoder().encode('hello')
const start = { headers: { 'upload-start': '' } }

type Names = 'uploadTaskData' | 'importTaskAnnotations' | 'importJobAnnotations'
type Archives = 'importProjectDataset' | 'importProjectBackup' | 'importTaskBackup'

/** Starts an upload; returns its id. */
async function startUpload<N extends Names | Archives>(admin: Client, name: N, input: InputOf<N>) {
  const creation = {
    'tus-resumable': '1.0.0',
    'upload-length': String(hello.length + 1),
    'upload-metadata': `filename ${btoa('a.zip')}`,
  }
  const answer = await admin.respond(name, input, { headers: creation })
  return String(answer.headers.get('location')?.split('/').at(-1))
}

export async function checkUploads(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { project: id, task, job } = await newTask(world)
  const empty = await admin.createTask({ body: { name: 'empty', labels: [{ name: 'car' }] } })
  const body = hello
  const offset = { upload_offset: 0, body }

  const data = {
    id: empty.id,
    file_id: await startUpload(admin, 'uploadTaskData', { id: empty.id }),
  }
  await admin.sendTaskDataFile({ ...data, ...offset })
  expect(await admin.getTaskDataFile(data)).toMatchObject({ offset: 5, length: 6 })
  await admin.deleteTaskDataFile(data)
  await admin.deleteTaskData({ id: empty.id })

  const ofTask = {
    id: task,
    file_id: await startUpload(admin, 'importTaskAnnotations', { id: task }),
  }
  await admin.sendTaskAnnotationsFile({ ...ofTask, ...offset })
  await admin.getTaskAnnotationsFile(ofTask)
  await admin.deleteTaskAnnotationsFile(ofTask)

  const ofJob = { id: job, file_id: await startUpload(admin, 'importJobAnnotations', { id: job }) }
  await admin.sendJobAnnotationsFile({ ...ofJob, ...offset })
  await admin.getJobAnnotationsFile(ofJob)
  await admin.deleteJobAnnotationsFile(ofJob)

  const ofSet = { id, file_id: await startUpload(admin, 'importProjectDataset', { id }) }
  await admin.sendProjectDatasetFile({ ...ofSet, ...offset })
  await admin.getProjectDatasetFile(ofSet)
  await admin.deleteProjectDatasetFile(ofSet)

  const project = { file_id: await startUpload(admin, 'importProjectBackup', {}) }
  await admin.sendProjectBackupFile({ ...project, ...offset })
  await admin.getProjectBackupFile(project)
  await admin.deleteProjectBackupFile(project)

  const backup = { file_id: await startUpload(admin, 'importTaskBackup', {}) }
  await admin.sendTaskBackupFile({ ...backup, ...offset })
  await admin.getTaskBackupFile(backup)
  await admin.deleteTaskBackupFile(backup)
}

/** Imports through the single operations; `send` has its own test. Each start is answered before its file is read. */
export async function checkImports(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { project, task, job } = await newTask(world)
  const file = (name: string) => new File([hello], name)
  const failing = [
    await admin.importTaskAnnotations({
      ...{ id: task, ...coco },
      body: { annotation_file: file('a.json') },
    }),
    await admin.importJobAnnotations({
      ...{ id: job, ...coco },
      body: { annotation_file: file('a.json') },
    }),
    await admin.importProjectDataset({
      ...{ id: project, ...coco },
      body: { dataset_file: file('a.zip') },
    }),
    await admin.importProjectBackup({ body: { backup_file: file('a.zip') } }),
    await admin.importTaskBackup({ body: { backup_file: file('a.zip') } }),
  ]
  for (const started of failing) await expect(admin.follow(started)).rejects.toThrow('failed')
  const { id } = await admin.createTask({ body: { name: 'broken', labels: [{ name: 'car' }] } })
  await admin.uploadTaskData({ id, body: { image_quality: 80 } }, start)
  const started = await admin.uploadTaskData({ id, body: { client_files: [file('a.txt')] } })
  await expect(admin.follow(started)).rejects.toThrow('failed')
}

export async function checkEvents({ admin }: SdkWorld): Promise<void> {
  const timestamp = new Date().toISOString()
  await admin.recordEvents({ body: { timestamp, events: [{ scope: 'load:job', timestamp }] } })
  const started = await admin.getEvents()
  const { query_id } = JSON.parse(await started.text())
  await expect
    .poll(async () => (await admin.getEvents({ query_id })).status, { timeout: 60_000 })
    .toBe(201)
  const file = await admin.getEvents({ query_id, action: 'download' })
  expect([file.status, (await file.text()).length > 0]).toEqual([200, true])
}

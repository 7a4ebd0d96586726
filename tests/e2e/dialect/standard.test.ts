import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeClip } from '@reticle/kit/testing/video/clips'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { unzip } from '../../support/archives.ts'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { createImages, datasetFile, formOf } from '../../support/pictures.ts'
import { basic, dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'
import { backupOf, restoreOf } from '../backups/round-trip.ts'

/** Behaviour that the test suite of CVAT expects of its REST API, on the CVAT-compatible mount. */

vi.setConfig({ testTimeout: 120_000 })

const { path, remove } = dataDirectory()
const share = mkdtempSync(join(tmpdir(), 'reticle-share-'))
let reticle: Reticle
let mount: ApiClient
beforeAll(async () => {
  for (const folder of ['images', 'lists']) mkdirSync(join(share, folder))
  for (const { name, bytes } of await createImages(10)) {
    writeFileSync(join(share, 'images', name), bytes)
    writeFileSync(join(share, 'lists', name), bytes)
  }
  for (const name of ['a.jsonl', 'b.jsonl']) writeFileSync(join(share, 'lists', name), '{}\n')
  reticle = await startReticle(path, { RETICLE_SHARE_DIR: share })
  mount = createApiClient(`${reticle.url}/as/cvat/api`, basic)
}, 120_000)
afterAll(async () => {
  await reticle.stop()
  remove()
  rmSync(share, { recursive: true, force: true })
})

const etagOf = async (of: string) => (await mount.call('GET', `/${of}`)).headers.get('etag') ?? ''
const patch = async (of: string, json: object, etag: string) =>
  (await mount.call('PATCH', `/${of}`, { json, headers: { 'if-match': etag } })).status
const labelsOf = async (query: string) =>
  (await mount.done('GET', `/labels?${query}`)).results as AnyJson[]

async function taskInProject(): Promise<{
  project: AnyJson
  task: AnyJson
  job: AnyJson
  label: AnyJson
}> {
  const json = { name: 'p', labels: [{ name: 'car' }, { name: 'bus' }] }
  const project = await mount.done('POST', '/projects', { json })
  const task = await taskWithMedia(mount, { project_id: project.id })
  const [job] = await jobsOf(mount, task.id)
  const [label] = await labelsOf(`project_id=${project.id}`)
  return { project, task, job, label }
}

describe('an entity tag that was read before only child objects changed', () => {
  const moved = async (of: string, before: string) =>
    expect.poll(async () => (await mount.done('GET', `/${of}`)).updated_date).not.toBe(before)

  test('tags of a project, task and job are accepted after annotations were saved', async () => {
    const { project, task, job, label } = await taskInProject()
    const { updated_date } = await mount.done('GET', `/projects/${project.id}`)
    const tags = await Promise.all(
      [`projects/${project.id}`, `tasks/${task.id}`, `jobs/${job.id}`].map(etagOf),
    )
    const json = { shapes: [rectangle(label.id)], tags: [], tracks: [], version: 0 }
    await mount.done('PUT', `/jobs/${job.id}/annotations`, { json })
    await moved(`projects/${project.id}`, updated_date)
    const [ofProject = '', ofTask = '', ofJob = ''] = tags
    expect(await patch(`jobs/${job.id}`, { state: 'completed' }, ofJob)).toBe(200)
    expect(await patch(`tasks/${task.id}`, { name: 'u' }, ofTask)).toBe(200)
    expect(await patch(`projects/${project.id}`, { name: 'q' }, ofProject)).toBe(200)
    expect(await patch(`projects/${project.id}`, { name: 'r' }, ofProject)).toBe(412)
    expect(await patch(`tasks/${task.id}`, { name: 'v' }, ofTask)).toBe(412)
    expect(await patch(`jobs/${job.id}`, { state: 'new' }, ofJob)).toBe(412)
  })

  test('the tag of a project is accepted after a task was added, changed and deleted', async () => {
    const { project, task } = await taskInProject()
    const etag = await etagOf(`projects/${project.id}`)
    await mount.done('PATCH', `/tasks/${task.id}`, { json: { name: 'other' } })
    await mount.done('POST', '/tasks', { json: { name: 'new', project_id: project.id } })
    await mount.done('DELETE', `/tasks/${task.id}`)
    expect(await patch(`projects/${project.id}`, { name: 'q' }, etag)).toBe(200)
  })

  test('tags are accepted after an issue was added to the job or a job of the task was completed', async () => {
    const { task, job } = await taskInProject()
    const [ofTask, ofJob] = [await etagOf(`tasks/${task.id}`), await etagOf(`jobs/${job.id}`)]
    const issue = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: 'here' }
    await mount.done('POST', '/issues', { json: issue })
    expect(await patch(`jobs/${job.id}`, { stage: 'acceptance', state: 'completed' }, ofJob)).toBe(
      200,
    )
    expect(await mount.done('GET', `/tasks/${task.id}`)).toMatchObject({ status: 'completed' })
    expect(await patch(`tasks/${task.id}`, { name: 'u' }, ofTask)).toBe(200)
  })

  test('the tag of a project is refused after its labels were changed', async () => {
    const { project, label } = await taskInProject()
    const etag = await etagOf(`projects/${project.id}`)
    await mount.done('PATCH', `/labels/${label.id}`, { json: { name: 'lorry' } })
    expect(await patch(`projects/${project.id}`, { name: 'q' }, etag)).toBe(412)
  })

  test('a tag in the form of earlier versions is accepted while the date is the same', async () => {
    const { id, updated_date } = await mount.done('POST', '/projects', { json: { name: 'p' } })
    const old = `"${id}-${new Date(updated_date).getTime().toString(36)}"`
    expect(await patch(`projects/${id}`, { name: 'q' }, old)).toBe(200)
    expect(await patch(`projects/${id}`, { name: 'r' }, old)).toBe(412)
  })

  test('If-None-Match uses a different tag, which changes with the children', async () => {
    const { project, task } = await taskInProject()
    const headers = { 'if-none-match': await etagOf(`projects/${project.id}`) }
    await mount.done('DELETE', `/tasks/${task.id}`)
    const read = await mount.call('GET', `/projects/${project.id}`, { headers })
    expect([read.status, read.body.tasks.count]).toEqual([200, 0])
  })
})

describe('dates after a change of labels', () => {
  const addition = (of: string) =>
    mount.done('PATCH', `/${of}`, { json: { labels: [{ name: 'tram' }] } })

  test.each([
    ['an addition', (of: string) => addition(of)],
    [
      'a modification',
      (_: string, label: AnyJson) =>
        mount.done('PATCH', `/labels/${label.id}`, { json: { name: 'van' } }),
    ],
    ['a removal', (_: string, label: AnyJson) => mount.done('DELETE', `/labels/${label.id}`)],
  ])('%s in a project gives the project, tasks and jobs the same date', async (_, change) => {
    const { project, task, job, label } = await taskInProject()
    await change(`projects/${project.id}`, label)
    const dates = await Promise.all(
      [`projects/${project.id}`, `tasks/${task.id}`, `jobs/${job.id}`].map(
        async (of) => (await mount.done('GET', `/${of}`)).updated_date,
      ),
    )
    expect(new Set(dates).size).toBe(1)
    expect(dates[0] > task.updated_date).toBe(true)
  })

  test('a change in a task gives the task and its jobs the same date', async () => {
    const task = await taskWithMedia(mount, { segment_size: 2 })
    const { updated_date } = await addition(`tasks/${task.id}`)
    const jobs = await jobsOf(mount, task.id)
    expect(jobs.map((job) => job.updated_date)).toEqual([updated_date, updated_date])
  })
})

describe('ground truth jobs', () => {
  const groundTruth = (task_id: number, selection: object) =>
    mount.done('POST', '/jobs', { json: { type: 'ground_truth', task_id, ...selection } })
  const membersOf = async (job: AnyJson, query: string) => {
    const { status, bytes } = await mount.bytes(`/jobs/${job.id}/data?type=chunk&${query}`)
    expect(status).toBe(200)
    return [...(await unzip(bytes))]
  }
  const sizes = async (members: [string, Buffer][]) =>
    Promise.all(members.map(async ([, bytes]) => (await sharp(bytes).metadata()).width))

  test('chunks by number are as long as those of the task, with placeholders', async () => {
    const task = await taskWithMedia(mount, { files: await createImages(5) })
    const job = await groundTruth(task.id, { frame_selection_method: 'manual', frames: [1, 3] })
    for (const quality of ['compressed', 'original']) {
      const members = await membersOf(job, `number=0&quality=${quality}`)
      expect(members.map(([name]) => name.split('.')[0])).toEqual(
        [0, 1, 2, 3, 4].map((index) => `00000${index}`),
      )
      expect(await sizes(members)).toEqual([1, 64, 1, 64, 1])
    }
    const [, placeholder] = (await membersOf(job, 'number=0'))[0] ?? []
    expect([...(await sharp(placeholder).raw().toBuffer())].every((byte) => byte === 0)).toBe(true)
    expect(await sizes(await membersOf(job, 'index=0'))).toEqual([64, 64])
  })

  test('a chunk has placeholders for frames outside the job', async () => {
    const json = { name: 't', labels: [{ name: 'car' }] }
    const { id } = await mount.done('POST', '/tasks', { json })
    const form = formOf(await createImages(4), { chunk_size: '2', image_quality: '70' })
    await mount.finished(await mount.done('POST', `/tasks/${id}/data`, { form }))
    const job = await groundTruth(id, { frame_selection_method: 'manual', frames: [0] })
    expect(await sizes(await membersOf(job, 'number=1'))).toEqual([1, 1])
  })

  test.each([
    [{ frames_per_job_share: 0.5 }, 4, 0, [2, 2, 2]],
    [{ frames_per_job_share: 0.75 }, 4, 0, [3, 3, 2]],
    [{ frames_per_job_count: 3 }, 4, 0, [3, 3, 2]],
    [{ frames_per_job_count: 2 }, 4, 2, [2, 2, 2, 2]],
  ])(
    'the selection %j with segment size %i and overlap %i draws %j frames per job',
    async (fields, segment_size, overlap, counts) => {
      const json = { name: 't', labels: [{ name: 'car' }], segment_size, overlap }
      const { id } = await mount.done('POST', '/tasks', { json })
      const form = formOf(await createImages(10), { image_quality: '70' })
      await mount.finished(await mount.done('POST', `/tasks/${id}/data`, { form }))
      const jobs = await jobsOf(mount, id)
      const job = await groundTruth(id, {
        frame_selection_method: 'random_per_job',
        random_seed: 1,
        ...fields,
      })
      const { included_frames } = await mount.done('GET', `/jobs/${job.id}/data/meta`)
      const within = jobs.map(
        ({ start_frame, stop_frame }) =>
          included_frames.filter((frame: number) => start_frame <= frame && frame <= stop_frame)
            .length,
      )
      for (const [index, count] of counts.entries())
        expect(within[index]).toBeGreaterThanOrEqual(count)
      if (overlap === 0) expect(within).toEqual(counts)
    },
  )
})

test('the XML of a job contains the size of the job', async () => {
  const task = await taskWithMedia(mount, { files: await createImages(7), segment_size: 3 })
  const jobs = await jobsOf(mount, task.id)
  const query = 'format=CVAT%20for%20images%201.1&save_images=false'
  const sizeOf = async (of: string) => {
    const request = await mount.finished(await mount.done('POST', `/${of}/dataset/export?${query}`))
    const members = await unzip((await mount.bytes(request.result_url)).bytes)
    return /<size>(\d+)<\/size>/.exec(String(members.get('annotations.xml')))?.[1]
  }
  expect(await Promise.all(jobs.map((job) => sizeOf(`jobs/${job.id}`)))).toEqual(['3', '3', '1'])
  expect(await sizeOf(`tasks/${task.id}`)).toBe('7')
  const selection = { frame_selection_method: 'manual', frames: [0, 5] }
  const json = { type: 'ground_truth', task_id: task.id, ...selection }
  expect(await sizeOf(`jobs/${(await mount.done('POST', '/jobs', { json })).id}`)).toBe('2')
})

describe('frames of the share and of uploads', () => {
  async function taskOf(fields: object): Promise<AnyJson> {
    const json = { name: 't', labels: [{ name: 'car' }] }
    const { id } = await mount.done('POST', '/tasks', { json })
    const data = { image_quality: 70, ...fields }
    const request = await mount.ended(
      (await mount.done('POST', `/tasks/${id}/data`, { json: data })).rq_id,
    )
    return { id, request }
  }
  const metaOf = (id: number) => mount.done('GET', `/tasks/${id}/data/meta`)

  test.each([
    [{ start_frame: 2, stop_frame: 8, frame_filter: 'step=3' }, 3],
    [{ start_frame: 4 }, 6],
    [{ frame_filter: 'step=5' }, 2],
  ])('a restored backup of a share task with %j has start 0 and step 1', async (chosen, size) => {
    const { id } = await taskOf({ server_files: ['images'], ...chosen })
    const before = await metaOf(id)
    const { result_id, message } = await restoreOf(
      mount,
      await backupOf(mount, `tasks/${id}`),
      'tasks',
    )
    expect(message).toBe('')
    const after = await metaOf(result_id)
    expect(after).toMatchObject({ size, start_frame: 0, stop_frame: size - 1, frame_filter: '' })
    expect(after.frames).toEqual(before.frames)
    expect(before.size).toBe(size)
  })

  test('several .jsonl files beside images of the share are ignored and reported', async () => {
    const { id, request } = await taskOf({ server_files: ['lists/'] })
    expect(request).toMatchObject({ status: 'finished', message: '' })
    expect((await metaOf(id)).size).toBe(10)
    const { report } = await reticle.admin.done(
      'GET',
      `/requests/${encodeURIComponent(request.id)}`,
    )
    expect(report.entries).toMatchObject([{ reason: 'one of several manifests', count: 2 }])
  })

  test('chosen frames of an upload keep their numbers in the source', async () => {
    const json = { name: 't', labels: [{ name: 'car' }] }
    const { id } = await mount.done('POST', '/tasks', { json })
    const form = formOf(await createImages(6), { start_frame: '1', frame_filter: 'step=2' })
    await mount.finished(await mount.done('POST', `/tasks/${id}/data`, { form }))
    const { result_id } = await restoreOf(mount, await backupOf(mount, `tasks/${id}`), 'tasks')
    expect(await metaOf(result_id)).toMatchObject({ start_frame: 1, frame_filter: 'step=2' })
  })
})

test('a video task with one job has an overlap and original chunks in video format', async () => {
  const file = join(share, 'clip.mp4')
  writeClip(file, { frames: 20 })
  const files = [{ name: 'clip.mp4', bytes: readFileSync(file) }]
  const task = await taskWithMedia(mount, { files })
  expect(task).toMatchObject({ overlap: 5, data_original_chunk_type: 'video' })
  const [job] = await jobsOf(mount, task.id)
  expect(job).toMatchObject({ data_original_chunk_type: 'video', frame_count: 20 })
})

test('tasks of an imported data set without subsets are in the subset default', async () => {
  const { task } = await taskInProject()
  const query = 'format=COCO%201.0&save_images=true'
  const request = await mount.finished(
    await mount.done('POST', `/tasks/${task.id}/dataset/export?${query}`),
  )
  const { bytes } = await mount.bytes(request.result_url)
  const subsetsOf = async (api: ApiClient) => {
    const project = await api.done('POST', '/projects', { json: { name: 'of a file' } })
    const path = `/projects/${project.id}/dataset?format=COCO%201.0`
    await api.finished(await api.done('POST', path, { form: datasetFile(bytes) }))
    const { results } = await api.done('GET', `/tasks?project_id=${project.id}`)
    return results.map((one: AnyJson) => one.subset)
  }
  expect(await subsetsOf(mount)).toEqual(['default'])
  expect(await subsetsOf(reticle.admin)).toEqual([''])
})

test('a registration signs in, and its session stays valid after a change of the password', async () => {
  const body = { username: 'bertha', password1: 'Tram-and-bus-7', password2: 'Tram-and-bus-7' }
  const anyone = createApiClient(`${reticle.url}/as/cvat/api`)
  const registered = await anyone.call('POST', '/auth/register', { json: body })
  expect([registered.status, registered.body.key]).toEqual([201, expect.any(String)])
  const headersOf = ({ headers }: { headers: Headers }) => {
    const pairs = headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
    const csrf = pairs.find((pair) => pair.startsWith('csrftoken='))?.split('=')[1] ?? ''
    return { cookie: pairs.join('; '), 'x-csrftoken': csrf }
  }
  const headers = headersOf(registered)
  const self = await anyone.call('GET', '/users/self', { headers })
  expect([self.status, self.body.username]).toEqual([200, 'bertha'])
  const json = {
    ...{ old_password: 'Tram-and-bus-7', new_password1: 'Bus-and-tram-8' },
    new_password2: 'Bus-and-tram-8',
  }
  const changed = await anyone.call('POST', '/auth/password/change', { json, headers })
  expect(changed.status).toBe(200)
  const renewed = await anyone.call('GET', '/users/self', { headers: headersOf(changed) })
  expect(renewed.body.username).toBe('bertha')
})

import { expect } from 'vitest'
import { storedZip, unzip } from '../support/archives.ts'
import type { AnyJson, ApiClient } from '../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../support/factories.ts'
import {
  annotationFile,
  createImages,
  datasetFile,
  formOf,
  type ImageFile,
} from '../support/pictures.ts'

const boxes = 200
const frames = 4

/** A call that starts a request. */
interface Movement {
  post: (api: ApiClient) => Promise<AnyJson>
  check: MovementCheck
}

/** Compares the stored state with the effect of the request, or with no effect. */
export type MovementCheck = (api: ApiClient, request: AnyJson) => Promise<void>

/** Creates separate objects for each request of a round, so that their effects can be distinguished. */
export async function prepareRound(api: ApiClient, round: number): Promise<Movement[]> {
  const files = await createImages(frames)
  const newProject = (name: string) =>
    api.done('POST', '/projects', { json: { name: `${name} ${round}`, labels: [{ name: 'car' }] } })
  const full = await newProject('full')
  const drawn = await taskWithMedia(api, { files, project_id: full.id })
  const shapes = Array.from({ length: boxes }, (_, at) =>
    rectangle(full.labels[0].id, at % frames, [at, 1, at + 5, 9]),
  )
  await api.done('PUT', `/tasks/${drawn.id}/annotations/`, { json: { shapes } })
  const [job] = await jobsOf(api, drawn.id)
  const archive = await api.finished(await api.done('POST', `/tasks/${drawn.id}/backup/export`))
  const backup = (await api.bytes(archive.result_url)).bytes
  const target = await taskWithMedia(api, { files })
  const [into, empty] = [await newProject('set'), await newProject('media')]
  const bare = await api.done('POST', '/tasks', { json: { name: 'bare', project_id: empty.id } })
  return [
    exportOf(`/tasks/${drawn.id}`, 'format=COCO%201.0&save_images=true'),
    exportOf(`/projects/${full.id}`, 'format=COCO%201.0'),
    exportOf(`/jobs/${job?.id}`, 'format=Service%201.1'),
    backupOf(`/projects/${full.id}`),
    annotationsInto(target.id, files),
    datasetInto(into.id, files),
    restoreOf(backup, `restored ${round}`),
    mediaInto(bare.id, files),
  ]
}

const exportOf = (at: string, query: string): Movement => fileOf(`${at}/dataset/export?${query}`)
const backupOf = (at: string): Movement => fileOf(`${at}/backup/export`)

/** Checks that the file is complete or missing. */
const fileOf = (call: string): Movement => ({
  post: (api) => api.done('POST', call),
  check: async (api, { status, result_url }) => {
    if (status === 'failed') return expect(result_url).toBeNull()
    const { bytes } = await api.bytes(result_url)
    const members = [...(await unzip(bytes)).keys()]
    expect(members.filter((name) => /\.(json|xml)$/.test(name)).length).toBeGreaterThan(0)
  },
})

/** Appends, so that a second import would be visible. */
const annotationsInto = (id: number, files: readonly ImageFile[]): Movement => ({
  post: (api) => {
    const call = `/tasks/${id}/annotations/?format=COCO%201.0&import_mode=append`
    return api.done('POST', call, { form: annotationFile(instances(files), 'instances.json') })
  },
  check: async (api, request) => {
    const { shapes } = await api.done('GET', `/tasks/${id}/annotations/`)
    expect(shapes.length, request.id).toBe(request.status === 'finished' ? boxes : 0)
  },
})

const datasetInto = (id: number, files: readonly ImageFile[]): Movement => ({
  post: (api) => {
    const document = { name: 'annotations/instances_train.json', bytes: instances(files) }
    const images = files.map(({ name, bytes }) => ({ name: `images/train/${name}`, bytes }))
    const form = datasetFile(storedZip([document, ...images]))
    return api.done('POST', `/projects/${id}/dataset/?format=COCO%201.0`, { form })
  },
  check: async (api, request) => {
    const { results } = await api.done('GET', `/tasks?project_id=${id}`)
    expect(results.length, request.id).toBe(request.status === 'finished' ? 1 : 0)
    for (const task of results) await expectWhole(api, task)
  },
})

/** Restores a backup whose task has a unique name. */
const restoreOf = (backup: Buffer, name: string): Movement => ({
  post: async (api) => {
    const members = [...(await unzip(backup))].map(([path, bytes]) => {
      const isTask = path === 'task.json'
      return { name: path, bytes: isTask ? renamed(bytes, name) : bytes }
    })
    const form = new FormData()
    form.append('backup_file', new Blob([storedZip(members)]), 'backup.zip')
    return api.done('POST', '/tasks/backup/', { form })
  },
  check: async (api, request) => {
    const list = await api.done('GET', `/tasks?name=${encodeURIComponent(name)}`)
    expect(list.count, request.id).toBe(request.status === 'finished' ? 1 : 0)
    for (const task of list.results) await expectWhole(api, task)
  },
})

const renamed = (task: Buffer, name: string) =>
  Buffer.from(JSON.stringify({ ...JSON.parse(task.toString()), name }))

const mediaInto = (id: number, files: ImageFile[]): Movement => ({
  post: (api) => api.done('POST', `/tasks/${id}/data`, { form: formOf(files) }),
  check: async (api, request) => {
    const { size, jobs } = await api.done('GET', `/tasks/${id}`)
    const isThere = request.status === 'finished'
    expect([size, jobs.count], request.id).toEqual(isThere ? [frames, 1] : [0, 0])
  },
})

async function expectWhole(api: ApiClient, { id, size }: AnyJson): Promise<void> {
  expect(size).toBe(frames)
  const { shapes } = await api.done('GET', `/tasks/${id}/annotations/`)
  expect(shapes.length, `shapes of task ${id}`).toBe(boxes)
}

const instances = (files: readonly ImageFile[]) =>
  Buffer.from(
    JSON.stringify({
      images: files.map(({ name }, at) => ({ id: at + 1, file_name: name, width: 64, height: 48 })),
      categories: [{ id: 1, name: 'car' }],
      annotations: Array.from({ length: boxes }, (_, at) => ({
        ...{ id: at + 1, image_id: (at % frames) + 1, category_id: 1 },
        bbox: [at % 40, 1, 5, 5],
      })),
    }),
  )

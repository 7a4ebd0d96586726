import { describe, expect, test } from 'vitest'
import { unzip } from '../support/archives.ts'
import type { AnyJson } from '../support/client.ts'
import { jobsOf, taskWithMedia } from '../support/factories.ts'
import { annotationFile, createImages } from '../support/pictures.ts'
import { useOwnServer, useTestServer } from '../support/test-server.ts'

const mask = { counts: [5, 3, 45, 3, 3016], size: [48, 64] }
const cocoOf = (names: string[], annotations: AnyJson[]) => ({
  images: names.map((file_name, index) => ({ id: index + 1, file_name, width: 64, height: 48 })),
  categories: [
    { id: 1, name: 'car' },
    { id: 2, name: 'tree' },
  ],
  annotations: annotations.map((one, index) => ({ id: index + 1, iscrowd: 0, ...one })),
})

describe.each([
  ['in-process', useTestServer],
  ['grpc', () => useOwnServer({ RETICLE_TRANSPORT: 'grpc' })],
] as const)('main workflow with calls %s', (_transport, useServer) => {
  const reticle = useServer()

  test('200 images become 4 jobs, and are annotated, edited, exported and imported again', async () => {
    const { admin } = reticle
    const labels = [{ name: 'car' }, { name: 'tree' }]
    const files = await createImages(200)
    const task = await taskWithMedia(admin, { files, labels, segment_size: 50 })
    expect(task).toMatchObject({ size: 200, status: 'annotation', mode: 'annotation' })
    const jobs = await jobsOf(admin, task.id)
    expect(jobs.map(({ start_frame, stop_frame }) => [start_frame, stop_frame])).toEqual([
      [0, 49],
      [50, 99],
      [100, 149],
      [150, 199],
    ])

    const coco = cocoOf(
      files.map((file) => file.name),
      [
        { image_id: 1, category_id: 1, bbox: [1.25, 2.5, 10.75, 20] },
        { image_id: 60, category_id: 2, segmentation: [[1, 1, 20.5, 1, 20.5, 30.25]] },
        { image_id: 200, category_id: 1, iscrowd: 1, segmentation: mask },
      ],
    )
    const imported = await importCoco(task.id, JSON.stringify(coco))
    expect(imported.report.created).toEqual({ tags: 0, shapes: 3, tracks: 0 })

    const first = await admin.done('GET', `/tasks/${task.id}/annotations/`)
    expect(first.shapes.map(simple)).toEqual([
      { type: 'rectangle', frame: 0, points: [1.25, 2.5, 12, 22.5] },
      { type: 'polygon', frame: 59, points: [1, 1, 20.5, 1, 20.5, 30.25] },
      { type: 'mask', frame: 199, points: expect.any(Array) },
    ])
    const [box] = first.shapes
    const patch = { shapes: [{ id: box.id, points: [2, 3, 13, 23.5] }] }
    await admin.done('PATCH', `/tasks/${task.id}/annotations/?action=update`, { json: patch })
    const edited = await admin.done('GET', `/tasks/${task.id}/annotations/`)

    const zip = await exportCoco(task.id)
    await admin.done('DELETE', `/tasks/${task.id}/annotations/`)
    await importCoco(task.id, zip)
    const again = await admin.done('GET', `/tasks/${task.id}/annotations/`)
    expect(again.shapes.map(simple)).toEqual(edited.shapes.map(simple))
    expect(again.shapes.map((shape: AnyJson) => shape.source)).toEqual(['file', 'file', 'file'])
  })

  test('the report of an export names objects that COCO cannot represent', async () => {
    const { admin } = reticle
    const task = await taskWithMedia(admin)
    const [{ id: label_id }] = task.labels
    const json = {
      shapes: [
        { type: 'polyline', frame: 0, label_id, points: [0, 0, 5, 5] },
        { type: 'rectangle', frame: 1, label_id, points: [0, 0, 5, 5] },
      ],
      tags: [{ frame: 2, label_id }],
    }
    await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json })
    const { report } = await admin.finished(await startExport(task.id))
    expect(report).toMatchObject({ created: { shapes: 1 }, dropped: 2 })
    const reasons = report.entries.map((entry: AnyJson) => entry.reason).join('\n')
    expect(reasons).toMatch(/polyline/)
    expect(reasons).toMatch(/tag/)
  })

  test('a result is downloaded in byte ranges, only by its requester', async () => {
    const { admin, url } = reticle
    const task = await taskWithMedia(admin)
    const { result_url } = await admin.finished(await startExport(task.id))
    expect(result_url.startsWith(`${url}/api/tasks/${task.id}/dataset/download?rq_id=`)).toBe(true)
    const whole = await admin.bytes(result_url)
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(whole.headers.get('content-disposition')).toMatch(
      /^attachment; filename="task_\d+_annotations_.*coco 1\.0\.zip"/,
    )
    const part = await admin.bytes(result_url, { range: 'bytes=2-5' })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 2-5/${whole.bytes.length}`)
    expect(part.bytes).toEqual(whole.bytes.subarray(2, 6))
    const beyond = await admin.bytes(result_url, { range: 'bytes=9-1' })
    expect([200, 416]).toContain(beyond.status)
    expect((await fetch(result_url)).status).toBe(401)
  })

  test('images are served unchanged, and smaller as previews', async () => {
    const { admin } = reticle
    const files = await createImages(2, 600, 400)
    const task = await taskWithMedia(admin, { files })
    const original = await admin.bytes(
      `/tasks/${task.id}/data?type=frame&number=1&quality=original`,
    )
    expect(original.headers.get('content-type')).toBe('image/png')
    expect(original.bytes).toEqual(Buffer.from(files[1]?.bytes ?? []))
    const compressed = await admin.bytes(`/tasks/${task.id}/data?type=frame&number=1`)
    expect(compressed.headers.get('content-type')).toBe('image/jpeg')
    const preview = await admin.bytes(`/tasks/${task.id}/preview`)
    expect(preview.status).toBe(200)
    expect(preview.bytes.length).toBeLessThan(original.bytes.length + 20_000)
    const meta = await admin.done('GET', `/tasks/${task.id}/data/meta`)
    expect(meta).toMatchObject({
      size: 2,
      frames: [{ name: 'frame-001.png', width: 600, height: 400 }, {}],
    })
  })

  test('archives and images are sorted by name, or naturally on request', async () => {
    const { admin } = reticle
    const [{ bytes } = { bytes: new Uint8Array() }] = await createImages(1)
    const files = ['a10.png', 'a2.png', 'a1.png'].map((name) => ({ name, bytes }))
    const json = { name: 'natural', labels: [] }
    const { id } = await admin.done('POST', '/tasks', { json })
    const form = new FormData()
    form.append('sorting_method', 'natural')
    for (const [at, file] of files.entries())
      form.append(`client_files[${at}]`, new Blob([Buffer.from(file.bytes)]), file.name)
    await admin.finished(await admin.done('POST', `/tasks/${id}/data`, { form }))
    const { frames } = await admin.done('GET', `/tasks/${id}/data/meta`)
    expect(frames.map((frame: AnyJson) => frame.name)).toEqual(['a1.png', 'a2.png', 'a10.png'])
  })

  test('an export with images contains the original bytes and a COCO file', async () => {
    const { admin } = reticle
    const files = await createImages(2)
    const task = await taskWithMedia(admin, { files })
    const started = await admin.done(
      'POST',
      `/tasks/${task.id}/dataset/export?format=COCO%201.0&save_images=true`,
    )
    const { result_url } = await admin.finished(started)
    const members = await unzip((await admin.bytes(result_url)).bytes)
    expect([...members.keys()].sort()).toEqual([
      'annotations/instances_default.json',
      'images/default/frame-001.png',
      'images/default/frame-002.png',
    ])
    expect(members.get('images/default/frame-001.png')).toEqual(Buffer.from(files[0]?.bytes ?? []))
  })

  test('deleting a project deletes its tasks, jobs and annotations', async () => {
    const { admin } = reticle
    const project = await admin.done('POST', '/projects', {
      json: { name: 'p', labels: [{ name: 'car' }] },
    })
    const task = await taskWithMedia(admin, { project_id: project.id })
    const [job] = await jobsOf(admin, task.id)
    expect((await admin.call('DELETE', `/projects/${project.id}`)).status).toBe(204)
    for (const address of [
      `/projects/${project.id}`,
      `/tasks/${task.id}`,
      `/jobs/${job.id}`,
      `/tasks/${task.id}/annotations/`,
    ])
      expect((await admin.call('GET', address)).status, address).toBe(404)
  })

  async function importCoco(taskId: number, content: string | Uint8Array): Promise<AnyJson> {
    const form = annotationFile(content, 'instances.json')
    const path = `/tasks/${taskId}/annotations/?format=COCO%201.0`
    return reticle.admin.finished(await reticle.admin.done('POST', path, { form }))
  }

  const startExport = (taskId: number) =>
    reticle.admin.done('POST', `/tasks/${taskId}/dataset/export?format=COCO%201.0`)

  async function exportCoco(taskId: number): Promise<Buffer> {
    const { result_url } = await reticle.admin.finished(await startExport(taskId))
    return (await reticle.admin.bytes(result_url)).bytes
  }
})

const simple = ({ type, frame, points }: AnyJson) => ({ type, frame, points })

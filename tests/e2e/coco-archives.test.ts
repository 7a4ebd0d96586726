import { beforeAll, describe, expect, test } from 'vitest'
import { unzip } from '../support/archives.ts'
import type { AnyJson } from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { fixture, hasFixtures } from '../support/fixtures.ts'
import { annotationFile, createImage } from '../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/** Imports of COCO archives that other tools wrote. Expected counts come from the table of the fixtures. */
describe.skipIf(!hasFixtures)('COCO archives of other tools', () => {
  let reticle: ServerUnderTest
  beforeAll(async () => {
    reticle = await shareReticle()
  })

  const labelsOf = (names: string[]) => names.map((name) => ({ name }))
  const send = (taskId: number, content: Uint8Array | string, name: string) =>
    reticle.admin.done('POST', `/tasks/${taskId}/annotations/?format=COCO%201.0`, {
      form: annotationFile(content, name),
    })

  async function imported(taskId: number, content: Uint8Array | string, name: string) {
    const request = await reticle.admin.finished(await send(taskId, content, name))
    return { request, set: await reticle.admin.done('GET', `/tasks/${taskId}/annotations/`) }
  }

  test('one box, one polygon with attributes and one mask in an archive of seven annotation kinds', async () => {
    const files = [await createImage('a.png', 10, 5), await createImage('b.png', 5, 10)]
    const task = await taskWithMedia(reticle.admin, {
      files,
      labels: await labelsIn('coco/dm_all_tasks.zip'),
    })
    const { set, request } = await imported(
      task.id,
      fixture('formats/coco/dm_all_tasks.zip'),
      'all.zip',
    )
    expect(set.shapes.map(({ type, frame, points }: AnyJson) => ({ type, frame, points }))).toEqual(
      [
        { type: 'rectangle', frame: 0, points: [2, 2, 5, 3] },
        { type: 'polygon', frame: 1, points: [0, 0, 1, 0, 1, 2, 0, 2] },
        { type: 'mask', frame: 1, points: [0, 20, 0, 0, 1, 9] },
      ],
    )
    expect(request.report.created.shapes).toBe(3)
  })

  test('one polygon and one mask in a JSON file without an archive', async () => {
    const files = [await createImage('b.png', 5, 10)]
    const task = await taskWithMedia(reticle.admin, {
      files,
      labels: await labelsIn('coco/dm_all_tasks.zip'),
    })
    const bare = fixture('formats/coco/instances_val_bare.json')
    const { set } = await imported(task.id, bare, 'instances_val.json')
    expect(set.shapes.map((shape: AnyJson) => shape.type).sort()).toEqual(['mask', 'polygon'])
  })

  test('two images and three annotations in the layout of another service', async () => {
    const archive = fixture('formats/coco/dm_roboflow_layout.zip')
    const documents = await cocoDocuments(archive)
    const sizes = documents.flatMap((one) => one.images)
    const files = await Promise.all(
      sizes.map((one: AnyJson) => createImage(one.file_name, one.width, one.height)),
    )
    const labels = labelsOf([
      ...new Set(
        documents.flatMap((one) => one.categories.map((category: AnyJson) => category.name)),
      ),
    ])
    const task = await taskWithMedia(reticle.admin, { files: files.map(asPng), labels })
    const { set } = await imported(task.id, archive, 'roboflow.zip')
    expect(set.shapes.length).toBe(3)
  })

  test('6 images and 29 polygons, the first of 633 points, in an export edited by hand', async () => {
    const archive = fixture('formats/coco/cvat_export_car_interior_ann_only.zip')
    const [document] = await cocoDocuments(archive)
    const files = await Promise.all(
      document.images.map((one: AnyJson) => createImage(one.file_name, one.width, one.height)),
    )
    const labels = labelsOf(document.categories.map((one: AnyJson) => one.name))
    const task = await taskWithMedia(reticle.admin, { files: files.map(asPng), labels })
    const { set } = await imported(task.id, archive, 'car.zip')
    expect(set.shapes.length).toBe(29)
    expect(new Set(set.shapes.map((shape: AnyJson) => shape.type))).toEqual(new Set(['polygon']))
    expect(
      Math.max(...set.shapes.map((shape: AnyJson) => shape.points.length / 2)),
    ).toBeGreaterThanOrEqual(633)
  })

  test('a broken archive, a truncated file and an unknown label fail by name and keep the annotations', async () => {
    const task = await taskWithMedia(reticle.admin)
    const url = `/tasks/${task.id}/annotations/`
    await reticle.admin.done('PUT', url, { json: { shapes: [rectangle(task.labels[0].id)] } })
    const before = await reticle.admin.done('GET', url)
    const whole = JSON.stringify({
      images: [{ id: 1, file_name: 'frame-001.png' }],
      categories: [{ id: 1, name: 'elephant' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 1, 2, 2] }],
    })
    const archive = fixture('formats/coco/dm_all_tasks.zip')
    const cases: [string, Uint8Array | string, RegExp][] = [
      ['cut.zip', archive.subarray(0, archive.length / 2), /cut\.zip: archive is damaged/],
      ['text.zip', 'PK\u0003\u0004 and nothing more', /text\.zip: archive is damaged/],
      ['half.json', whole.slice(0, whole.length / 2), /half\.json.*byte \d+/],
      ['foreign.json', whole, /elephant/],
    ]
    for (const [name, content, text] of cases) {
      const request = await reticle.admin.ended((await send(task.id, content, name)).rq_id)
      expect([request.status, request.message], name).toEqual([
        'failed',
        expect.stringMatching(text),
      ])
      expect(await reticle.admin.done('GET', url)).toEqual(before)
    }
  })

  const asPng = (file: { name: string; bytes: Uint8Array }) => ({
    ...file,
    name: file.name.replace(/\.\w+$/, '.png'),
  })

  async function labelsIn(archive: string) {
    const documents = await cocoDocuments(fixture(`formats/${archive}`))
    const categories = documents.flatMap((one) =>
      one.categories.map((category: AnyJson) => category.name),
    )
    return labelsOf([...new Set(categories)])
  }

  async function cocoDocuments(archive: Buffer): Promise<AnyJson[]> {
    const members = await unzip(archive)
    const named = [...members].filter(([name]) =>
      /instances_\w+\.json$|_annotations\.coco\.json$/.test(name),
    )
    return named.map(([, bytes]) => JSON.parse(bytes.toString('utf8')))
  }
})

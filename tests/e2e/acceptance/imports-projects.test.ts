import { beforeAll, describe, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { createImage, createImages, datasetFile, type ImageFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'
import { sendFile } from '../../support/tus.ts'

/** Imports of data sets into projects. */

let reticle: ServerUnderTest
let api: ApiClient
let [first, second]: ImageFile[] = []
const { newPerson } = createUserFactory(() => reticle)
beforeAll(async () => {
  reticle = await shareReticle()
  api = (await newPerson()).api
  first = await createImage('a.png', 64, 48)
  second = await createImage('b/c.png', 32, 20)
})

const newProject = async (labels: AnyJson[] = []): Promise<number> =>
  (await api.done('POST', '/projects', { json: { name: 'p', labels } })).id
const datasetOf = (id: number) => `/projects/${id}/dataset/`
const send = (id: number, zip: Uint8Array, query = '') =>
  api.call('POST', `${datasetOf(id)}?format=COCO%201.0${query}`, { form: datasetFile(zip) })
const sendAndEnd = async (id: number, zip: Uint8Array, query = '') => {
  const { status, body } = await send(id, zip, query)
  expect(status).toBe(202)
  return api.ended(body.rq_id)
}
const tasksOf = async (id: number): Promise<AnyJson[]> =>
  (await api.done('GET', `/tasks?project_id=${id}&sort=id`)).results
const shapesOf = async ({ id }: AnyJson): Promise<AnyJson[]> =>
  (await api.done('GET', `/tasks/${id}/annotations/`)).shapes

interface Subset {
  images: string[]
  annotations: AnyJson[]
  categories?: string[]
}

const instances = ({ images, annotations, categories = ['car', 'road'] }: Subset) =>
  Buffer.from(
    JSON.stringify({
      images: images.map((file_name, index) => ({ id: index + 1, file_name })),
      categories: categories.map((name, index) => ({ id: index + 1, name })),
      annotations: annotations.map((one, index) => ({
        ...{ id: index + 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4] },
        ...one,
      })),
    }),
  )

/** Builds an archive of subsets, with the images at the paths where an export stores them. */
const zipOf = (subsets: Record<string, Subset>, pictures: Record<string, ImageFile | undefined>) =>
  storedZip([
    ...Object.entries(subsets).map(([name, subset]) => ({
      name: `annotations/instances_${name}.json`,
      bytes: instances(subset),
    })),
    ...Object.entries(pictures).map(([name, one]) => ({
      name: `images/${name}`,
      bytes: one?.bytes ?? Buffer.alloc(0),
    })),
  ])

const attributes = { wet: true, speed: 3 }
const train = { images: ['a.png', 'b/c.png'], annotations: [{ image_id: 2, attributes }] }
const val = { images: ['a.png'], annotations: [{ category_id: 2 }, {}] }
const twoSubsets = () =>
  zipOf({ train, val }, { 'train/a.png': first, 'train/b/c.png': second, 'val/a.png': first })

const node = (name: string, x: number) =>
  `<circle r="1" cx="${x}.5" cy="20.5" data-type="element node" data-label-name="${name}"></circle>`
const mood = { name: 'mood', mutable: true, input_type: 'radio', values: ['up', 'down'] }
/** Labels with every property that only the native format can represent. */
const full: AnyJson[] = [
  { name: 'road', type: 'polygon', color: '#123456' },
  {
    ...{
      name: 'person',
      type: 'skeleton',
      color: '#00aa55',
      svg: node('head', 4) + node('foot', 9),
    },
    attributes: [{ ...mood, default_value: 'down' }],
    sublabels: ['head', 'foot'].map((name) => ({ name, type: 'points' })),
  },
]

/** Returns the labels of a project, with lookups from names to ids and from ids to names for labels and attributes. */
async function labelsOf(id: number) {
  const { results } = await api.done('GET', `/labels?project_id=${id}&sort=id`)
  const all: AnyJson[] = results.flatMap((label: AnyJson) => [label, ...label.sublabels])
  const specs = all.flatMap(({ attributes: own }) => own)
  const nameIn = (numbered: AnyJson[]) => (id: number | string) =>
    numbered.find((one) => one.id === Number(id))?.name
  return {
    labels: results,
    idOf: (name: string): number => [...all, ...specs].find((one) => one.name === name)?.id,
    nameOf: nameIn(all),
    nameOfSpec: nameIn(specs),
  }
}

/** Builds one object of each kind and two tracks, different for each subset. */
function annotationsOf(subset: string, idOf: (name: string) => number): AnyJson {
  const x = subset.length
  const attributes = [{ spec_id: idOf('mood'), value: 'up' }]
  const [road, person] = [{ label_id: idOf('road') }, { label_id: idOf('person') }]
  const position = (frame: number, points: number[]) => ({ frame, points })
  const element = (name: string, more: AnyJson) => ({
    type: 'points',
    label_id: idOf(name),
    ...more,
  })
  const moving = (name: string) => ({
    ...{ frame: 1, label_id: idOf(name) },
    shapes: [1, 3].map((frame) => ({ type: 'points', ...position(frame, [x, frame]) })),
  })
  return {
    tags: [{ frame: 3, ...road, group: x }],
    shapes: [
      { type: 'rectangle', ...position(0, [x, 2, 30.25, 40]), ...road, rotation: 30, z_order: 2 },
      {
        ...{ type: 'skeleton', frame: 2, ...person, attributes },
        elements: ['head', 'foot'].map((name) => element(name, position(2, [x, 5]))),
      },
    ],
    tracks: [
      {
        ...{ frame: 0, ...road },
        shapes: [
          { type: 'rectangle', ...position(0, [x, 0, 9, 9]) },
          { type: 'rectangle', ...position(2, [x, 4, 9, 19]), outside: true },
        ],
      },
      {
        ...{ frame: 1, ...person },
        shapes: [{ type: 'skeleton', ...position(1, []), attributes }],
        elements: ['head', 'foot'].map(moving),
      },
    ],
  }
}

describe('importing a data set into a project', () => {
  test('each subset becomes a task with its images, and a project without labels gets them', async () => {
    const id = await newProject()
    const { body } = await send(id, twoSubsets())
    expect(body.rq_id).toBe(`action=import&target=project&target_id=${id}&subresource=dataset`)
    const request = await api.ended(body.rq_id)
    expect(request).toMatchObject({
      status: 'finished',
      progress: 1,
      operation: { type: 'import:dataset', target: 'project', project_id: id, task_id: null },
      result_id: null,
      report: { created: { tags: 0, shapes: 3, tracks: 0 }, skipped: 0 },
    })

    const project = await api.done('GET', `/projects/${id}`)
    expect([project.tasks.count, project.task_subsets]).toEqual([2, ['train', 'val']])
    const tasks = await tasksOf(id)
    expect(tasks).toMatchObject([
      { name: 'train', subset: 'train', size: 2, status: 'annotation' },
      { name: 'val', subset: 'val', size: 1 },
    ])
    const [ofTrain, ofVal] = tasks
    const { frames } = await api.done('GET', `/tasks/${ofTrain.id}/data/meta`)
    expect(frames).toMatchObject([
      { name: 'a.png', width: 64, height: 48 },
      { name: 'b/c.png', width: 32, height: 20 },
    ])
    const url = `/tasks/${ofTrain.id}/data?type=frame&quality=original&number=1`
    expect((await api.bytes(url)).bytes.equals(Buffer.from(second?.bytes ?? []))).toBe(true)

    const { results: labels } = await api.done('GET', `/labels?project_id=${id}&sort=id`)
    const [car, road] = labels
    expect([car.name, road.name]).toEqual(['car', 'road'])
    expect(car.attributes).toMatchObject([
      { name: 'wet', input_type: 'checkbox', mutable: false },
      { name: 'speed', input_type: 'number', values: ['3', '3', '1'] },
    ])
    const [shape] = await shapesOf(ofTrain)
    expect(shape).toMatchObject({ frame: 1, label_id: car.id, points: [1, 2, 4, 6] })
    expect(shape.attributes.map(({ value }: AnyJson) => value)).toEqual(['true', '3'])
    expect((await shapesOf(ofVal)).map(({ label_id }) => label_id)).toEqual([road.id, car.id])
  })

  test('existing tasks of the project stay unchanged', async () => {
    const id = await newProject([{ name: 'car' }, { name: 'road' }])
    const task = await taskWithMedia(api, { project_id: id })
    expect(await sendAndEnd(id, twoSubsets())).toMatchObject({ status: 'finished' })
    const [before, ...made] = await tasksOf(id)
    expect(made.map(({ name }) => name)).toEqual(['train', 'val'])
    expect(before).toMatchObject({ id: task.id, size: task.size, name: task.name })
    const { results } = await api.done('GET', `/labels?project_id=${id}&sort=id`)
    expect(results[0].attributes.map(({ name }: AnyJson) => name)).toEqual(['wet', 'speed'])
  })

  test('the archive can be uploaded in chunks', async () => {
    const id = await newProject()
    const at = datasetOf(id)
    const query = '?format=COCO%201.0'
    const file = { name: 'set.zip', bytes: twoSubsets() }
    const name = await sendFile(api, at, file, 1000)
    const ended = await api.call('POST', `${at}${query}&filename=${name}`, {
      headers: { 'upload-finish': '' },
    })
    expect(ended.status).toBe(202)
    await api.finished(ended.body)
    expect(await tasksOf(id)).toHaveLength(2)
  })

  test('an export of another project is imported with the same content', async () => {
    const from = await newProject()
    await sendAndEnd(from, twoSubsets())
    const query = '?format=COCO%201.0&save_images=true'
    const exported = await api.finished(
      await api.done('POST', `/projects/${from}/dataset/export${query}`),
    )
    const { bytes } = await api.bytes(exported.result_url)
    const to = await newProject()
    expect(await sendAndEnd(to, bytes)).toMatchObject({ status: 'finished' })
    const seen = async (id: number) => {
      const tasks = await tasksOf(id)
      const shapes = await Promise.all(tasks.map(shapesOf))
      return tasks.map(({ name, subset, size }, index) => [
        ...[name, subset, size],
        shapes[index]?.map(({ frame, points }) => [frame, points]),
      ])
    }
    expect(await seen(to)).toEqual(await seen(from))
  })

  test('an export in the native format keeps all properties of labels and annotations', async () => {
    const from = (await api.done('POST', '/projects', { json: { name: 'p', labels: full } })).id
    for (const subset of ['train', 'val']) {
      const { id } = await taskWithMedia(api, { project_id: from, files: await createImages(4) })
      await api.done('PATCH', `/tasks/${id}`, { json: { name: subset, subset } })
      const { idOf } = await labelsOf(from)
      await api.done('PUT', `/tasks/${id}/annotations/`, { json: annotationsOf(subset, idOf) })
    }
    const query = '?format=Service%201.1&save_images=true'
    const exported = await api.finished(
      await api.done('POST', `/projects/${from}/dataset/export${query}`),
    )
    const { bytes } = await api.bytes(exported.result_url)
    const to = await newProject()
    const form = datasetFile(bytes)
    const { body } = await api.call('POST', `${datasetOf(to)}?format=Service%201.1`, { form })
    expect(await api.ended(body.rq_id)).toMatchObject({
      status: 'finished',
      report: { created: { tags: 2, shapes: 4, tracks: 4 }, skipped: 0 },
    })

    const stored = async (id: number) => {
      const { labels, nameOf, nameOfSpec } = await labelsOf(id)
      const plain: Record<string, (value: string) => unknown> = {
        ...{ id: () => undefined, source: () => undefined, project_id: () => undefined },
        ...{ label_id: nameOf, spec_id: nameOfSpec, parent_id: nameOf },
        svg: (text) => text.replace(/(?<=data-label-id=")\d+/g, (one) => nameOf(one)),
      }
      const named = (given: AnyJson): AnyJson =>
        JSON.parse(JSON.stringify(given), (key, value) => (plain[key] ? plain[key](value) : value))
      const tasks = await tasksOf(id)
      const sets = await Promise.all(
        tasks.map((task) => api.done('GET', `/tasks/${task.id}/annotations/`)),
      )
      const about = tasks.map(({ name, subset, size }) => ({ name, subset, size }))
      return { about, labels: named(labels), sets: named(sets) }
    }
    expect(await stored(to)).toEqual(await stored(from))
  })

  test('imported images stay readable while one task still uses the archive', async () => {
    const id = await newProject()
    await sendAndEnd(id, twoSubsets())
    const [ofTrain, ofVal] = await tasksOf(id)
    await api.done('DELETE', `/tasks/${ofTrain.id}`)
    const url = `/tasks/${ofVal.id}/data?type=frame&quality=original&number=0`
    expect((await api.bytes(url)).status).toBe(200)
  })

  test('masks become polygons when that is requested', async () => {
    const id = await newProject()
    const segmentation = { counts: [50, 2, 190, 1, 2829], size: [48, 64] }
    const set = { images: ['a.png'], annotations: [{ segmentation }] }
    const zip = zipOf({ default: set }, { 'a.png': first })
    const { report } = await sendAndEnd(id, zip, '&conv_mask_to_poly=true')
    expect(report.converted).toBe(1)
    const [task] = await tasksOf(id)
    expect([task.name, task.subset]).toEqual(['default', ''])
    expect((await shapesOf(task)).map(({ type }) => type)).toEqual(['polygon', 'polygon'])
  })
})

describe('an import into a project that fails leaves nothing behind', () => {
  const refused = async (
    zip: Uint8Array,
    message: string,
    labels: AnyJson[] = [{ name: 'car' }],
  ) => {
    const id = await newProject(labels)
    const before = await api.done('GET', `/projects/${id}`)
    const request = await sendAndEnd(id, zip)
    expect([request.status, request.message]).toEqual(['failed', expect.stringContaining(message)])
    expect(await api.done('GET', `/projects/${id}`)).toEqual(before)
    expect(await tasksOf(id)).toEqual([])
  }

  test('an import with a label that the project does not have fails and names the label', async () => {
    await refused(twoSubsets(), 'Target project does not have label with name "road"')
    const set = { ...train, categories: ['car', 'background'] }
    const id = await newProject([{ name: 'car' }])
    const pictures = { 'train/a.png': first, 'train/b/c.png': second }
    expect(await sendAndEnd(id, zipOf({ train: set }, pictures))).toMatchObject({
      status: 'finished',
    })
  })

  test('an import without images fails', async () => {
    await refused(zipOf({ train }, {}), 'media is required', [])
    const one = { 'train/a.png': first }
    await refused(zipOf({ train }, one), 'not in the archive: b/c.png', [])
  })

  test('an import fails when its last subset is invalid, after other subsets became tasks', async () => {
    const broken = { images: ['a.png'], annotations: [{ category_id: 1, bbox: [1, 2, 3] }] }
    const pictures = { 'train/a.png': first, 'train/b/c.png': second, 'val/a.png': first }
    await refused(zipOf({ train, val: broken }, pictures), 'bbox has 3 values', [])
  })

  test('an import fails when the annotations cannot be stored', async () => {
    const far = { images: ['a.png'], annotations: [{ bbox: [1e9, 2, 3, 4] }] }
    await refused(zipOf({ far }, { 'far/a.png': first }), '', [])
  })

  test('a dry run reports what would be created and creates nothing', async () => {
    const id = await newProject()
    const before = await api.done('GET', `/projects/${id}`)
    const request = await sendAndEnd(id, twoSubsets(), '&dry_run=true')
    expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 3 } } })
    expect(request.id).toMatch(/&options=[\da-f]{8}$/)
    expect(await api.done('GET', `/projects/${id}`)).toEqual(before)
    expect(await tasksOf(id)).toEqual([])
  })
})

describe('imports into a project that are refused', () => {
  test('a second import while one runs is answered 409 with the id of the first', async () => {
    const id = await newProject()
    const answers = await Promise.all([1, 2, 3].map(() => send(id, twoSubsets())))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([202, 409, 409])
    const rq_id = `action=import&target=project&target_id=${id}&subresource=dataset`
    expect(answers.map(({ body }) => body)).toEqual([{ rq_id }, { rq_id }, { rq_id }])
    await api.finished({ rq_id })
    expect(await tasksOf(id)).toHaveLength(2)
  })

  test('a file that is not an archive and a missing file are refused', async () => {
    const id = await newProject()
    const at = `${datasetOf(id)}?format=COCO%201.0`
    const named = await api.call('POST', at, { form: datasetFile(twoSubsets(), 'set.json') })
    expect([named.status, named.body]).toEqual([
      400,
      { dataset_file: ['Dataset file should be zip archive'] },
    ])
    const empty = await api.call('POST', at)
    expect([empty.status, empty.body]).toEqual([400, { dataset_file: ['No file was submitted.'] }])
    const lost = await api.call('POST', `${at}&filename=1_nothing`)
    expect([lost.status, lost.body]).toEqual([400, ['No such file were uploaded']])
    const unknown = await send(id, twoSubsets(), '&format=YOLO')
    expect(unknown.status).toBe(400)
  })
})

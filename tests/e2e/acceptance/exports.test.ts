import { beforeAll, describe, expect, test } from 'vitest'
import { unzip } from '../../support/archives.ts'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { createImages } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Exports: repetition, access to the file, and the filters of the exported objects. */

let reticle: ServerUnderTest
let anna: RegisteredUser
const { newPerson, newOrganization, newMember } = createUserFactory(() => reticle)
beforeAll(async () => {
  reticle = await shareReticle()
  anna = await newPerson()
})

const coco = 'format=COCO%201.0'
const exportOf = (at: string, query = '') =>
  anna.api.call('POST', `${at}/dataset/export?${coco}${query}`)
const exported = async (at: string, query = ''): Promise<AnyJson> =>
  anna.api.finished((await exportOf(at, query)).body)

/** Documents of an export, keyed by the names of their subsets. */
async function documentsOf(at: string, query = ''): Promise<Record<string, AnyJson>> {
  const { result_url } = await exported(at, query)
  const members = await unzip((await anna.api.bytes(result_url)).bytes)
  const documents: Record<string, AnyJson> = {}
  for (const [name, bytes] of members) {
    const [, subset] = /^annotations\/instances_(.+)\.json$/.exec(name) ?? []
    if (subset) documents[subset] = JSON.parse(bytes.toString())
  }
  return documents
}

/** Frames and the labels of their boxes in the order of the document: `['0: car bus', '1:']`. */
function contentsOf({ images, annotations, categories }: AnyJson): string[] {
  const names = new Map(categories.map((one: AnyJson) => [one.id, one.name]))
  return images.map((image: AnyJson) => {
    const own = annotations.filter((one: AnyJson) => one.image_id === image.id)
    const frame = Number(/(\d+)/.exec(image.file_name)?.[1]) - 1 // names of images count from 1
    return [`${frame}:`, ...own.map((one: AnyJson) => names.get(one.category_id))].join(' ')
  })
}

/** Creates a task of four frames in two jobs: a car and a bus, an empty frame, a car with a low score, a bus. */
async function newTask(): Promise<AnyJson> {
  const labels = [{ name: 'car' }, { name: 'bus' }]
  const task = await taskWithMedia(anna.api, { labels, segment_size: 2 })
  const [car, bus] = task.labels.map(({ id }: AnyJson) => id)
  const shapes = [
    ...[rectangle(car, 0), rectangle(bus, 0)],
    ...[{ ...rectangle(car, 2), score: 0.25, source: 'auto' }, rectangle(bus, 3)],
  ]
  await anna.api.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  return { ...task, car, bus, at: `/tasks/${task.id}` }
}

describe('requesting an export', () => {
  test('a repeated export of unchanged annotations finishes at once with the same file', async () => {
    const { at } = await newTask()
    const first = await exported(at)
    const again = (await exportOf(at)).body
    const request = await anna.api.done('GET', `/requests/${encodeURIComponent(again.rq_id)}`)
    expect(request).toMatchObject({ status: 'finished', progress: 1, result_url: first.result_url })
    expect(Date.parse(request.expiry_date)).toBeGreaterThanOrEqual(Date.parse(first.expiry_date))
    const files = await Promise.all([first, request].map((one) => anna.api.bytes(one.result_url)))
    expect(files[0]?.bytes.equals(files[1]?.bytes ?? Buffer.alloc(0))).toBe(true)
    expect(request.report).toEqual(first.report)
  })

  test('the report lists the losses that the documented matrix predicts', async () => {
    const task = await taskWithMedia(anna.api, { labels: [{ name: 'car' }] })
    const common = { frame: 0, label_id: task.labels[0].id }
    const points: Record<string, number[]> = {
      rectangle: [1, 1, 9, 9],
      polygon: [1, 1, 9, 1, 9, 9],
      polyline: [1, 1, 9, 9],
      points: [4, 4],
      ellipse: [20, 20, 26, 14],
      cuboid: [1, 1, 1, 9, 9, 1, 9, 9, 3, 3, 3, 11, 11, 3, 11, 11],
      mask: [0, 16, 2, 2, 5, 5],
    }
    const shapes = Object.keys(points).map((type) => ({ ...common, type, points: points[type] }))
    const at = `/tasks/${task.id}`
    await anna.api.done('PUT', `${at}/annotations/`, { json: { shapes, tags: [common] } })
    const { formats } = await anna.api.done('GET', '/server/formats/losses')
    expect(formats.length).toBeGreaterThan(0)
    for (const { name, kinds } of formats) {
      const call = `${at}/dataset/export?format=${encodeURIComponent(name)}`
      const { report } = await anna.api.finished((await anna.api.call('POST', call)).body)
      const entries: { kind: string; code: string; count: number }[] = report.entries
      const documentedCount = (fate: string) =>
        [...Object.keys(points), 'tag'].filter((kind) => kinds[kind] === fate).length
      const reportedCount = (fate: string) =>
        entries
          .filter(({ kind, code }) => kind === fate && code === 'dropped-shape-type')
          .reduce((sum, { count }) => sum + count, 0)
      for (const fate of ['dropped', 'converted'])
        expect([name, fate, reportedCount(fate)]).toEqual([name, fate, documentedCount(fate)])
    }
  })

  test('an export after an edit is a new file', async () => {
    const { at, car } = await newTask()
    expect(contentsOf((await documentsOf(at)).default)).toEqual([
      '0: car bus',
      '1:',
      '2: car',
      '3: bus',
    ])
    await anna.api.done('PATCH', `${at}/annotations/?action=create`, {
      json: { shapes: [rectangle(car, 1)] },
    })
    expect(contentsOf((await documentsOf(at)).default)[1]).toBe('1: car')
  })

  test('a second request for a running export is answered 409 with the id of the first', async () => {
    const { at } = await newTask()
    const answers = await Promise.all([1, 2, 3].map(() => exportOf(at, '&save_images=true')))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    expect(new Set(answers.map(({ body }) => body.rq_id)).size).toBe(1)
    await anna.api.finished(answers[0]?.body)
  })
})

describe('the file of an export', () => {
  test('only its requester can download the file, in whole or in ranges, and HEAD describes it', async () => {
    const organization = await newOrganization()
    const { api } = organization.owner
    const task = await taskWithMedia(api)
    await api.done('PATCH', `/tasks/${task.id}`, { json: { organization_id: organization.id } })
    const member = await newMember(organization, 'maintainer')
    const started = await api.done('POST', `/tasks/${task.id}/dataset/export?${coco}`)
    const { result_url } = await api.finished(started)
    const whole = await api.bytes(result_url)
    const part = await api.bytes(result_url, { range: 'bytes=2-5' })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 2-5/${whole.bytes.length}`,
    ])
    expect(part.bytes.equals(whole.bytes.subarray(2, 6))).toBe(true)
    const beyond = await api.bytes(result_url, { range: `bytes=${whole.bytes.length}-` })
    expect(beyond.status).toBe(416)
    const name = `task_${task.id}_annotations_\\d{4}(_\\d\\d){5}_coco 1.0.zip`
    expect(whole.headers.get('content-disposition')).toMatch(new RegExp(name))
    expect((await member.api.bytes(result_url)).status).toBe(403)
  })
})

describe('filters of exported objects', () => {
  let task: AnyJson
  beforeAll(async () => {
    task = await newTask()
    const [, second] = await jobsOf(anna.api, task.id)
    await anna.api.done('PATCH', `/jobs/${second.id}`, { json: { state: 'completed' } })
  })

  test.each([
    ['frames=0,3', ['0: car bus', '3: bus']],
    ['frames=1-2', ['1:', '2: car']],
    ['label_id=BUS', ['0: bus', '1:', '2:', '3: bus']],
    ['only_annotated=true', ['0: car bus', '2: car', '3: bus']],
    ['only_annotated=true&label_id=CAR', ['0: car', '2: car']],
    ['only_annotated=true&label_id=CAR&frames=1-3', ['2: car']],
    ['min_score=0.5', ['0: car bus', '1:', '2:', '3: bus']],
    ['job_state=completed', ['2: car', '3: bus']],
    ['job_state=rejected', []],
  ])('an export with %s contains the matching objects', async (words, expected) => {
    const query = words.replace('BUS', String(task.bus)).replace('CAR', String(task.car))
    expect(contentsOf((await documentsOf(task.at, `&${query}`)).default)).toEqual(expected)
  })

  test('exports with different filters are different requests', async () => {
    const ids = await Promise.all(
      ['', '&min_score=0.5', '&min_score=0.6'].map(
        async (query) => (await exported(task.at, query)).id,
      ),
    )
    expect(new Set(ids).size).toBe(3)
    expect(ids[1]).toMatch(/&options=[0-9a-f]{8}$/)
  })

  test.each(['frames=3-1', 'min_score=2', 'min_score=x', 'job_state=done', 'label_id=x'])(
    'the filter %s is refused',
    async (query) => {
      const { status, body } = await exportOf(task.at, `&${query}`)
      expect([status, Object.keys(body)]).toEqual([400, [query.split('=')[0]]])
    },
  )
})

describe('exporting a project', () => {
  test('the export contains the tasks with media, grouped by subset', async () => {
    const json = { name: 'p', labels: [{ name: 'car' }] }
    const project = await anna.api.done('POST', '/projects', { json })
    const [label] = project.labels
    for (const subset of ['train', 'train', 'test']) {
      const files = await createImages(2)
      const { id } = await taskWithMedia(anna.api, { project_id: project.id, files })
      await anna.api.done('PATCH', `/tasks/${id}`, { json: { subset } })
      const shapes = [rectangle(label.id, 1)]
      await anna.api.done('PUT', `/tasks/${id}/annotations/`, { json: { shapes } })
    }
    await anna.api.done('POST', '/tasks', { json: { name: 'empty', project_id: project.id } })
    const documents = await documentsOf(`/projects/${project.id}`)
    expect(Object.keys(documents).sort()).toEqual(['test', 'train'])
    expect(documents.train.images.length).toBe(4)
    expect(documents.train.annotations.length).toBe(2)
    expect(documents.test.images.length).toBe(2)

    const [first] = (await anna.api.done('GET', `/tasks?project_id=${project.id}&sort=id`)).results
    await anna.api.done('PATCH', `/tasks/${first.id}`, { json: { subset: 'test' } })
    const moved = await documentsOf(`/projects/${project.id}`)
    expect([moved.train.images.length, moved.test.images.length]).toEqual([2, 4])
    await anna.api.done('PATCH', `/tasks/${first.id}/data/meta`, { json: { deleted_frames: [0] } })
    const fewer = await documentsOf(`/projects/${project.id}`)
    expect([fewer.train.images.length, fewer.test.images.length]).toEqual([2, 3])
  })

  test('a project without tasks exports as a valid empty archive', async () => {
    const json = { name: 'p', labels: [{ name: 'car' }] }
    const { id } = await anna.api.done('POST', '/projects', { json })
    const request = await exported(`/projects/${id}`)
    expect(request.operation).toMatchObject({ target: 'project', project_id: id, task_id: null })
    const members = await unzip((await anna.api.bytes(request.result_url)).bytes)
    expect([...members.keys()].every((name) => !name.endsWith('.jpg'))).toBe(true)
  })
})

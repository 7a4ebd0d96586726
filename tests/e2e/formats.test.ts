import { formats } from '@reticle/formats/registry'
import { beforeAll, expect, test } from 'vitest'
import { unzip } from '../support/archives.ts'
import type { AnyJson, ApiClient } from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { createUserFactory } from '../support/people.ts'
import { annotationFile, datasetFile } from '../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/** Every format over the API: export, import into a copy of the task, export again, and import into a project. */

let reticle: ServerUnderTest
let api: ApiClient
let original: AnyJson
const { newPerson } = createUserFactory(() => reticle)
const labels = [
  { name: 'car', color: '#ff0000' },
  { name: 'road sign', color: '#00ff00' },
]
const newTask = () => taskWithMedia(api, { labels })
beforeAll(async () => {
  reticle = await shareReticle()
  api = (await newPerson()).api
  original = await newTask()
  const [car, sign] = original.labels.map(({ id }: AnyJson) => id)
  const polygon = { type: 'polygon', frame: 1, label_id: sign, points: [5, 5, 25, 5, 25, 30] }
  const mask = { type: 'mask', frame: 2, label_id: sign, points: [0, 16, 40, 10, 43, 13] }
  const position = (frame: number, outside = false) => ({
    ...{ type: 'rectangle', frame, points: [frame, 2, 10 + frame, 20.25], outside },
  })
  const track = { frame: 0, label_id: car, shapes: [position(0), position(1), position(2, true)] }
  const shapes = [rectangle(car, 0), rectangle(sign, 3, [2, 3, 40.5, 41.25]), polygon, mask]
  const tags = [{ frame: 3, label_id: sign }]
  const json = { shapes, tags, tracks: [track] }
  await api.done('PUT', `/tasks/${original.id}/annotations/`, { json })
})

const query = (name: string) => `format=${encodeURIComponent(name)}`

async function exported({ id }: AnyJson, name: string) {
  const at = `/tasks/${id}/dataset/export?${query(name)}&save_images=true`
  const { report, result_url } = await api.finished(await api.done('POST', at))
  return { report, archive: (await api.bytes(result_url)).bytes }
}

async function imported({ id }: AnyJson, name: string, archive: Uint8Array) {
  const at = `/tasks/${id}/annotations/?${query(name)}&conv_mask_to_poly=false`
  const form = annotationFile(archive, 'a.zip')
  return api.finished(await api.done('POST', at, { form }))
}

/** Texts of the archive members, without dates. */
async function membersOf(archive: Buffer): Promise<Record<string, string>> {
  const members = [...(await unzip(archive))].map(([name, bytes]) => [
    name,
    bytes.toString('latin1').replace(/\d{4}-\d\d-\d\d[ T][\d:.]+/g, 'a date'),
  ])
  return Object.fromEntries(members)
}

const both = formats.filter(({ exporter, importer }) => exporter && importer)

const intoProjects = both.filter(({ importer }) => importer?.openDataset)

test.each(both)(
  'a repeated import and export in $name gives an identical archive',
  async ({ name }) => {
    const twin = await newTask()
    const first = await exported(original, name)
    const { report } = await imported(twin, name, first.archive)
    const { shapes, tracks } = report.created
    expect(shapes + tracks).toBeGreaterThan(0)
    const second = await exported(twin, name)
    await imported(twin, name, second.archive)
    const third = await exported(twin, name)
    expect(await membersOf(third.archive)).toEqual(await membersOf(second.archive))
  },
)

test.each(intoProjects)(
  'an export in $name becomes a task of a project with its images',
  async ({ name }) => {
    const { archive, report } = await exported(original, name)
    const { id } = await api.done('POST', '/projects', { json: { name, labels } })
    const at = `/projects/${id}/dataset/?${query(name)}&conv_mask_to_poly=false`
    const form = datasetFile(archive)
    const request = await api.finished(await api.done('POST', at, { form }))
    const count = ({ created }: AnyJson) => created.shapes + created.tags + created.tracks
    expect(count(request.report)).toBeGreaterThan(0)
    expect(count(request.report)).toBeLessThanOrEqual(count(report))
    const { results } = await api.done('GET', `/tasks?project_id=${id}`)
    expect(results.map(({ size }: AnyJson) => size)).toEqual([4])
  },
)

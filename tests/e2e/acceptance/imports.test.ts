import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Json } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { people } from '../../support/people.ts'
import { annotationFile } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/** Item 15 of the checklist of `spec/api-annotations.md` 10, beside what modes and dry runs do. */

const { path, remove } = dataDirectory()
let reticle: Reticle
let api: Client
const { newPerson } = people(() => reticle)
beforeAll(async () => {
  reticle = await startReticle(path)
  api = (await newPerson()).api
})
afterAll(async () => {
  await reticle.stop()
  remove()
})

describe('15. masks of a file', () => {
  /** On a frame of 64 x 48: two pixels at (1, 2) and (1, 3), and one at (5, 2). */
  const segmentation = { counts: [50, 2, 190, 1, 2829], size: [48, 64] }
  const file = JSON.stringify({
    images: [{ id: 1, file_name: 'frame-001.png' }],
    categories: [{ id: 1, name: 'car' }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, segmentation }],
  })
  const importInto = async (url: string, query: string) => {
    const form = annotationFile(file, 'masks.json')
    const started = await api.done('POST', `${url}?format=COCO%201.0${query}`, { form })
    const { report } = await api.finished(started)
    const { shapes } = await api.done('GET', url)
    return { report, shapes: shapes.map(({ type, group, points }: Json) => [type, group, points]) }
  }

  test('15. become polygons when that is asked for, each part one, together a group, and the report counts them', async () => {
    const task = await taskWithMedia(api)
    const [job] = await jobsOf(api, task.id)
    for (const of of [`tasks/${task.id}`, `jobs/${job.id}`]) {
      const { shapes, report } = await importInto(`/${of}/annotations/`, '&conv_mask_to_poly=true')
      expect(shapes).toEqual([
        ['polygon', 1, [1, 2, 2, 2, 2, 4, 1, 4]],
        ['polygon', 1, [5, 2, 6, 2, 6, 3, 5, 3]],
      ])
      expect(report).toMatchObject({ created: { shapes: 2 }, converted: 1 })
      expect(report.entries).toMatchObject([
        { kind: 'converted', code: 'dropped-shape-type', reason: 'masks are read as polygons' },
      ])
    }
  })

  test('15. stay masks when that is asked for, and where the format keeps them by itself', async () => {
    const { id } = await taskWithMedia(api)
    // Rows of the box from (1, 2) to (5, 3), cut to what they cover.
    const mask = ['mask', 0, [0, 1, 3, 2, 4, 1, 2, 5, 3]]
    for (const query of ['&conv_mask_to_poly=false', '']) {
      const { shapes, report } = await importInto(`/tasks/${id}/annotations/`, query)
      expect(shapes).toEqual([mask])
      expect(report).toMatchObject({ created: { shapes: 1 }, converted: 0 })
    }
    const { importers } = await api.done('GET', '/server/annotation/formats')
    const { options } = importers.find(({ name }: Json) => name === 'COCO 1.0')
    expect(options).toEqual([{ name: 'conv_mask_to_poly', type: 'boolean', default: false }])
  })
})

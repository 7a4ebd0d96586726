import { type PdfPage, writePdf } from '@reticle/kit/testing/pdf'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { unzip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { createImages, formOf, type ImageFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Tasks made from a PDF. */

let reticle: ServerUnderTest
let api: ApiClient
/** A task of three pages, two per job. */
let task: AnyJson
beforeAll(async () => {
  reticle = await shareReticle()
  api = reticle.admin
  task = (await attach([pdf('scan.pdf', 3)], {}, { segment_size: 2 })).task
})

/** A page with a red left half. Page 0 is one inch by two, and page n is n half inches wider. */
const pageOf = (page: number): PdfPage => {
  const width = 72 + 36 * page
  return { width, height: 144, box: { x: 0, y: 0, width: width / 2, height: 144, color: 'red' } }
}
const pdf = (name: string, count: number): ImageFile => ({
  name,
  bytes: writePdf(Array.from({ length: count }, (_, page) => pageOf(page))),
})

async function attach(files: ImageFile[], fields: Record<string, string> = {}, given: object = {}) {
  const json = { name: 't', labels: [{ name: 'car' }], ...given }
  const { id } = await api.done('POST', '/tasks', { json })
  const started = await api.done('POST', `/tasks/${id}/data`, { form: formOf(files, fields) })
  const request = await api.ended(started.rq_id)
  return { request, task: await api.done('GET', `/tasks/${id}`) }
}

const read = (query: string) => api.bytes(`/tasks/${task.id}/data?${query}`)

describe('media from a PDF', () => {
  test('a PDF becomes a task with one frame per page, rendered at 200 dots per inch', async () => {
    expect(task).toMatchObject({ size: 3, mode: 'annotation', status: 'annotation' })
    expect(task.jobs.count).toBe(2)
    const { frames } = await api.done('GET', `/tasks/${task.id}/data/meta`)
    expect(frames.map(({ name, width, height }: AnyJson) => [name, width, height])).toEqual([
      ['scan-0001.png', 200, 400],
      ['scan-0002.png', 300, 400],
      ['scan-0003.png', 400, 400],
    ])
  })

  test('pages are served as PNG, in chunks and as a preview', async () => {
    const original = await read('type=frame&number=1&quality=original')
    expect(original.headers.get('content-type')).toBe('image/png')
    const { data, info } = await sharp(original.bytes).raw().toBuffer({ resolveWithObject: true })
    expect(info).toMatchObject({ width: 300, height: 400, channels: 3 })
    expect([...data.subarray(0, 3), ...data.subarray(-3)]).toEqual([255, 0, 0, 255, 255, 255])

    const members = await unzip((await read('type=chunk&number=0')).bytes)
    const sizes = [...members.values()].map(async (one) => (await sharp(one).metadata()).width)
    expect(await Promise.all(sizes)).toEqual([200, 300, 400])

    const preview = await sharp((await api.bytes(`/tasks/${task.id}/preview`)).bytes).metadata()
    expect([preview.width, preview.height]).toEqual([192, 256])
  })

  test('a choice of frames selects pages', async () => {
    const fields = { start_frame: '1', stop_frame: '8', frame_filter: 'step=3' }
    const { task } = await attach([pdf('b.pdf', 8)], fields)
    const meta = await api.done('GET', `/tasks/${task.id}/data/meta`)
    expect(meta).toMatchObject({ size: 3, start_frame: 1, stop_frame: 7, frame_filter: 'step=3' })
    expect(meta.frames.map(({ name }: AnyJson) => name)).toEqual([
      'b-0002.png',
      'b-0005.png',
      'b-0008.png',
    ])
  })

  test('an export contains the pages as images', async () => {
    const query = 'format=COCO%201.0&save_images=true'
    const started = await api.done('POST', `/tasks/${task.id}/dataset/export?${query}`)
    const { result_url } = await api.finished(started)
    const members = await unzip((await api.bytes(result_url)).bytes)
    const image = members.get('images/default/scan-0003.png')
    expect(image && (await sharp(image).metadata()).width).toBe(400)
  })

  test.each<[string, () => Promise<ImageFile[]> | ImageFile[], string]>([
    [
      'a PDF beside an image',
      async () => [pdf('c.pdf', 1), ...(await createImages(1))],
      'Only one zip, video, pdf or archive or many images can be used simultaneously, but there are 1 pdf and 1 image',
    ],
    [
      'a broken PDF',
      () => [{ name: 'broken.pdf', bytes: Buffer.from('%PDF-1.7\nand nothing') }],
      'broken.pdf: no PDF can be read from it: it is damaged, cut off or of another kind',
    ],
    [
      'a PDF without pages',
      () => [{ name: 'none.pdf', bytes: writePdf([]) }],
      'none.pdf: the PDF has no pages',
    ],
  ])(
    '%s fails with a message that names it, and leaves the task without media',
    async (_, files, message) => {
      const { request, task } = await attach(await files())
      expect(request).toMatchObject({ status: 'failed', message })
      expect(task).toMatchObject({ size: 0, status: 'new' })
    },
  )

  test('capabilities and limits of the server list PDF', async () => {
    const capabilities = await api.done('GET', '/server/capabilities')
    expect(capabilities).toMatchObject({ pdf: true, media: expect.arrayContaining(['pdf']) })
    expect(await api.done('GET', '/server/limits')).toMatchObject({
      ...{ pdf_pages: 10_000, pdf_bytes: 536_870_912, pdf_page_pixels: 67_108_864 },
    })
  })
})

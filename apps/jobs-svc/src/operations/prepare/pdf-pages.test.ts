import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import { endlessPdf, lockedTrailer, type PdfPage, writePdf } from '@reticle/kit/testing/pdf'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { pdfiumReader } from '../../media/pdf/pdfium.ts'
import { mostPdfBytes, pdfLimits } from '../../media/pdf/reader.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { createPreparation, picture } from '../../testing/prepare.ts'
import { pdfSurroundings, uploadFile } from '../../testing/run.ts'

const { prepare, blobs, root } = await createPreparation()

/** Creates page n, which is 100 + n pixels wide; its left half is green. */
const pageOf = (page: number): PdfPage => {
  const width = ((100 + page) * 72) / 200
  return { width, height: 36, box: { x: 0, y: 0, width: width / 2, height: 36, color: 'green' } }
}
const pdfOf = (count: number) => writePdf(Array.from({ length: count }, (_, page) => pageOf(page)))
const pdf = async (count: number, name = 'scan.pdf') => [
  await uploadFile(blobs, name, pdfOf(count)),
]

const pagesOf = (frames: FrameSource[]) => frames.map(({ width }) => width - 100)
async function keysBelow(prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(prefix)) keys.push(key)
  return keys
}

test('pages become pictures in one object, in their order, named after the file', async () => {
  const { frames, query, work, run } = await prepare({ files: await pdf(3, 'a/scan.v2.pdf') })
  expect(frames).toMatchObject(
    [0, 1, 2].map((page) => ({
      name: `scan.v2-000${page + 1}.png`,
      width: 100 + page,
      height: 100,
      packing: 'stored',
      media_type: 'image/png',
    })),
  )
  expect(await keysBelow(work.input_key ?? '')).toEqual([frames[0]?.key])
  for (const frame of frames) {
    const { data, info } = await sharp(await gatherBytes(readMediaBytes(blobs, frame)))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(info).toMatchObject({ width: frame.width, height: frame.height, channels: 3 })
    expect([...data.subarray(0, 3), ...data.subarray(-3)]).toEqual([0, 255, 0, 255, 255, 255])
  }
  expect(query.chunk_size).toBe(72)
  expect(run.stages).toEqual([
    'Reading images',
    'Drawing pages',
    'Reading images',
    'final',
    'Creating jobs',
  ])
  expect(await readdir(run.tmpDir)).toEqual(['frames.lines'])
})

test.each([
  ['', 2, null, [2, 3, 4, 5, 6]],
  ['step=3', 1, null, [1, 4]],
  ['step=2', 0, 4, [0, 2, 4]],
])(
  'with %j from %d to %s only the selected pages are drawn',
  async (frame_filter, start_frame, stop_frame, pages) => {
    const drawn: (readonly number[])[] = []
    const reader = pdfiumReader(pdfSurroundings)
    const pdfs: typeof reader = {
      ...reader,
      draw: (file, wanted, signal) => {
        drawn.push(wanted)
        return reader.draw(file, wanted, signal)
      },
    }
    const chosen = { frame_filter, start_frame, stop_frame }
    const { frames, names } = await prepare({ files: await pdf(7), ...chosen }, { pdfs })
    expect(pagesOf(frames)).toEqual(pages)
    expect(names).toEqual(pages.map((page) => `scan-000${page + 1}.png`))
    expect(drawn).toEqual([pages])
  },
)

test('pages can be shuffled, mapped to jobs, or listed by a manifest, as images can', async () => {
  const files = await pdf(6)
  const random = await prepare({ files, sorting_method: 'random' })
  expect(pagesOf(random.frames).sort()).toEqual([0, 1, 2, 3, 4, 5])
  const half = await prepare({ files, sorting_method: 'random', frame_filter: 'step=2' })
  expect(half.frames.length).toBe(3)

  const job_file_mapping = [
    { files: ['scan-0005.png'] },
    { files: ['scan-0001.png', 'scan-0002.png'] },
  ]
  expect(pagesOf((await prepare({ files, job_file_mapping })).frames)).toEqual([4, 0, 1])

  const lines = ['{"version":"1.1"}', '{"type":"images"}']
  for (const page of [6, 5, 4, 3, 2, 1])
    lines.push(JSON.stringify({ name: `scan-000${page}`, extension: '.png' }))
  const manifest = await uploadFile(blobs, 'manifest.jsonl', lines.join('\n'))
  const sorting_method = 'predefined'
  const listed = await prepare({ files: [...files, manifest], sorting_method, stop_frame: 1 })
  expect(pagesOf(listed.frames)).toEqual([5, 4])
})

test('pages of a file on the share are stored with the other media, not on the share', async () => {
  const shareDir = join(root, 'share')
  await mkdir(shareDir)
  await writeFile(join(shareDir, 'b.pdf'), pdfOf(2))
  const { query, names } = await prepare({ server_files: ['b.pdf'] }, { shareDir })
  expect(names).toEqual(['b-0001.png', 'b-0002.png'])
  expect(query.storage).toBeUndefined()
})

test('a PDF above the size limit is refused before it is read', async () => {
  const file = await uploadFile(blobs, 'scan.pdf', Buffer.concat([pdfOf(1), Buffer.alloc(200_000)]))
  const files = [{ ...file, size: mostPdfBytes + 1 }]
  await expect(prepare({ files })).rejects.toThrow(
    'scan.pdf: PDFs may have 536870912 bytes, this one has 536870913',
  )
})

test('a selection of missing pages fails with the number of pages', async () => {
  await expect(prepare({ files: await pdf(3), start_frame: 3 })).rejects.toThrow(
    'start_frame: there are only 3 frames, the frame 3 is none of them',
  )
})

test('a PDF beside an image or another PDF is refused', async () => {
  const image = await uploadFile(blobs, 'a.jpg', await picture(4, 4))
  const text =
    'Only one zip, video, pdf or archive or many images can be used simultaneously, but there are'
  await expect(prepare({ files: [image, ...(await pdf(1))] })).rejects.toThrow(
    `${text} 1 pdf and 1 image`,
  )
  const two = [...(await pdf(1)), ...(await pdf(1, 'b.pdf'))]
  await expect(prepare({ files: two })).rejects.toThrow(`${text} 2 pdfs`)
})

test.each<[string, Uint8Array, object, string]>([
  ['is broken', Buffer.from('%PDF-1.7 and nothing'), {}, 'scan.pdf: no PDF can be read from it'],
  [
    'is locked',
    writePdf([pageOf(0)], { trailer: lockedTrailer }),
    {},
    'scan.pdf: the PDF is protected',
  ],
  [
    'breaks off',
    Buffer.from(pdfOf(1).toString('latin1').replace('/Count 1', '/Count 2'), 'latin1'),
    {},
    'scan.pdf: page 2 of the PDF cannot',
  ],
  [
    'has more in it than it should',
    pdfOf(9),
    { limits: { ...archiveLimits, bytes: 1000 } },
    'scan.pdf: the pictures of its pages have more than 1000 bytes',
  ],
  [
    'never ends',
    endlessPdf(),
    { pdfs: pdfiumReader({ ...pdfSurroundings, limits: { ...pdfLimits, silenceMs: 2000 } }) },
    'scan.pdf: drawing the pages of the PDF takes too long',
  ],
])(
  'a PDF that %s leaves no objects',
  async (_, bytes, given, message) => {
    const before = await keysBelow('requests/')
    const files = [await uploadFile(blobs, 'scan.pdf', bytes)]
    await expect(prepare({ files }, given)).rejects.toThrow(message)
    expect((await keysBelow('requests/')).length).toBe(before.length + 1)
  },
  20_000,
)

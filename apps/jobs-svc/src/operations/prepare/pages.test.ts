import { writeZip } from '@reticle/formats/archive/zip-writer'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { gatherBytes } from '../../storage/stored-file.ts'
import { apngOf, bigTiffOf } from '../../testing/animations.ts'
import { createPreparation, picture } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'
import { type TiffPage, tiffOf } from '../../testing/tiff.ts'

/** Pictures with several pages: the first is the frame, the others are reported with the name of the file. */

const { blobs, attached, prepare } = await createPreparation()
beforeEach(() => {
  attached.length = 0
})

const page: TiffPage = { width: 40, height: 30, sample: 'uint8', values: Array(1200).fill(7) }
const animated = (format: 'gif' | 'webp', pages: number, side = 8) => {
  const raw = { width: side, height: side * pages, channels: 3, pageHeight: side } as const
  const pixels = Uint8Array.from({ length: side * side * 3 * pages }, (_, at) => (at * at) % 251)
  return sharp(pixels, { raw }).toFormat(format).toBuffer()
}
const png = () => picture(8, 6, 'png')

describe('pages after the first are reported', () => {
  test.each<[string, number, () => Promise<Buffer> | Buffer]>([
    ['scan.tif', 3, () => tiffOf(page, page, page)],
    ['called.jpg', 2, () => tiffOf(page, page)],
    ['big.tif', 4, () => bigTiffOf(4)],
    ['moving.gif', 4, () => animated('gif', 4)],
    ['large.gif', 30, () => animated('gif', 30, 96)],
    ['moving.webp', 3, () => animated('webp', 3)],
    ['moving.png', 5, async () => apngOf(await png(), 5)],
  ])('%s', async (name, pages, bytes) => {
    const { names, outcome } = await prepare({
      files: [await uploadFile(blobs, name, await bytes())],
    })
    expect(names).toEqual([name])
    expect(outcome.report).toMatchObject({
      skipped: pages - 1,
      entries: [
        {
          kind: 'skipped',
          code: 'ignored-page',
          count: pages - 1,
          examples: [{ file: name, item: pages === 2 ? 'page 2' : `pages 2 to ${pages}` }],
        },
      ],
    })
  })

  test.each([
    ['stored', true],
    ['deflated', false],
  ])('also in members of an archive that are %s', async (packing, isStored) => {
    const members = [
      { path: 'a/scan.dat', content: tiffOf(page, page, page), isStored },
      { path: 'b.png', content: await png(), isStored },
    ]
    const archive = await gatherBytes(writeZip(members, new Date(0)))
    const files = [await uploadFile(blobs, 'all.zip', archive)]
    const { frames, names, outcome } = await prepare({ files })
    expect(names).toEqual(['a/scan.dat', 'b.png'])
    expect(frames[0]?.packing).toBe(packing)
    const [entry] = outcome.report?.entries ?? []
    expect(entry).toMatchObject({ count: 2, examples: [{ file: 'a/scan.dat' }] })
  })

  test('only of files that become frames', async () => {
    const files = [
      await uploadFile(blobs, 'a.tif', tiffOf(page, page)),
      await uploadFile(blobs, 'b.tif', tiffOf(page, page, page)),
    ]
    const { names, outcome } = await prepare({ files, start_frame: 1 })
    expect(names).toEqual(['b.tif'])
    expect(outcome.report?.entries).toMatchObject([{ count: 2, examples: [{ file: 'b.tif' }] }])
  })
})

test('pictures of one page are not mentioned', async () => {
  const files = [
    await uploadFile(blobs, 'a.tif', tiffOf(page, { ...page, subfile: 1 })),
    await uploadFile(blobs, 'b.gif', await picture(8, 6, 'gif')),
    await uploadFile(blobs, 'c.webp', await picture(8, 6, 'webp')),
    await uploadFile(blobs, 'd.png', await png()),
    await uploadFile(blobs, 'e.jpg', await picture(8, 6)),
  ]
  const { names, outcome } = await prepare({ files })
  expect(names).toHaveLength(5)
  expect(outcome.report?.entries).toEqual([])
})

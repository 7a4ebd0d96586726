import { expect, test } from 'vitest'
import { archiveOf, withWrongChecksum } from '../../testing/archive.ts'
import { createBitmap, createPreparation, picture } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'

const { blobs, prepare } = await createPreparation()
const images = {
  'a.jpg': await picture(8, 6),
  'b.bmp': createBitmap(700, 600), // larger than one block of read-ahead
  'c.png': await picture(20, 10, 'png'),
}
const archive = await archiveOf({
  ...images,
  'a/related_images/d_jpg/e.png': images['c.png'],
  'a/d.jpg': images['a.jpg'],
})

async function reported(name?: string) {
  const bytes = name === undefined ? archive : withWrongChecksum(archive, name)
  const { frames, outcome } = await prepare({ files: [await uploadFile(blobs, 'all.zip', bytes)] })
  expect(frames).toHaveLength(4)
  return outcome.report?.entries.map(({ kind, code, examples }) => [kind, code, examples[0]?.file])
}

test('images that match the checksums of their archive are not reported', async () => {
  expect(await reported()).toEqual([])
})

test.each(['a.jpg', 'b.bmp', 'c.png', 'a/d.jpg', 'a/related_images/d_jpg/e.png'])(
  'the image %s that does not match its checksum becomes a frame and is reported',
  async (name) => {
    expect(await reported(name)).toEqual([['converted', 'damaged-image', name]])
  },
)

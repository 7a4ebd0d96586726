import { describe, expect, test } from 'vitest'
import type { Format, TargetFrames } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
} from '../testing/run.ts'

/** In every format with image names, the name takes precedence over the number when an image is matched to a frame. */

const labels = [labelOf({ id: 5, name: 'car' })]

/**
 * Returns the frames on which boxes end up after an export with other image names; each box ends at 10 times its
 * position.
 */
async function framesHit(
  format: Format,
  pictures: readonly string[],
  frames: readonly string[],
  rest: Partial<TargetFrames> = {},
): Promise<string[]> {
  const shapes = pictures.map((_, frame) =>
    shapeOf({ label_id: 5, frame, points: [1, 2, 20 + 10 * frame, 40] }),
  )
  const dataset = datasetOf(labels, framesOf(pictures), { shapes })
  const { bytes } = await exportBytes(format.exporter, dataset)
  const target = targetOf(labels, framesOf(frames))
  const into = { ...target, frames: { ...target.frames, ...rest } }
  const { shapes: found } = await importBytes(format, bytes, into)
  const names = found.map(({ frame, points }): [string, number] => [
    frames[frame] ?? '',
    Math.max(...points.filter((_, at) => at % 2 === 0)),
  ])
  return names.sort(([, a], [, b]) => a - b).map(([name]) => name)
}

const named = formats.filter(
  ({ name, importer, exporter }) => importer && exporter && name !== 'MOT 1.1',
)

describe.each(named)('$name', (format) => {
  test.each([
    ['a number', ['0002.png', '0103.png'], ['0101.png', '0102.png', '0103.png'], '0002'],
    ['a number in a folder', ['train/2.png'], ['0.png', '1.png', '3.png'], '2'],
    ['another name', ['a.png', 'b.png'], ['a.png', 'c.png'], 'b'],
    ['the name of a frame of a video', ['frame_000001.png'], ['a.png', 'b.png'], 'frame_000001'],
    ['a number of other letters', ['1.png'], ['a.png', '1a.png', '10.png'], '1'],
  ])(
    'an image with %s that the task lacks fails the import',
    async (_, pictures, frames, missing) => {
      await expect(framesHit(format, pictures, frames)).rejects.toThrow(
        new RegExp(`no matching frame in this task: (.*/)?${missing}(\\.png)?$`),
      )
    },
  )

  test.each([
    ['in other folders', ['0.png', '1.png', '2.png'], ['train/1.png', 'val/0.png', 'val/2.png']],
    ['in a folder of another name', ['img/1.png', 'img/2.png'], ['x/1.png', 'x/2.png', 'x/3.png']],
    ['in fewer folders', ['1/2/3.png', '1/2/0.png'], ['9.png', '3.png', '0.png']],
    ['in other letters', ['IMG_1.PNG', 'img_0.png'], ['y.png', 'x/img_1.png', 'x/IMG_0.png']],
    ['percent-encoded', ['a%20b%201.png', '%C3%BC.png'], ['x/ü.png', 'a b 1.png']],
    ['with another extension', ['1.png', '2.png'], ['2.jpg', 'a.jpg', '1.jpg']],
  ])('images %s are found by their base names', async (_, pictures, frames) => {
    const base = (path: string) =>
      decodeURIComponent(path)
        .toLowerCase()
        .replace(/^.*\/|\.\w+$/g, '')
    const found = await framesHit(format, pictures, frames)
    expect(found.map(base)).toEqual(pictures.map(base))
  })

  test('the literal name takes precedence over the percent-decoded one', async () => {
    const frames = ['a b.png', 'a%20b.png']
    expect(await framesHit(format, ['a%20b.png'], frames)).toEqual(['a%20b.png'])
  })

  test('frames of a video are found by their numbers', async () => {
    const video = { is_video: true, start_frame: 10, step: 5 }
    const pictures = ['frame_000015.png', 'frame_000020.png']
    expect(await framesHit(format, pictures, ['v/0', 'v/1', 'v/2'], video)).toEqual(['v/1', 'v/2'])
    const between = framesHit(format, ['frame_000012.png'], ['v/0', 'v/1', 'v/2'], video)
    await expect(between).rejects.toThrow('no matching frame')
  })
})

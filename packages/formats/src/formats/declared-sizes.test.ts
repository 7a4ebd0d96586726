import { describe, expect, test } from 'vitest'
import { formats } from '../registry.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'
import { recordOf } from '../testing/tfrecord.ts'
import { documentText, objectText } from '../testing/voc.ts'

/** A size that a file declares for an image is reported, with both sizes, when it differs from the frame. */

const labels = [labelOf({ id: 5, name: 'car' })]
const target = targetOf(labels, framesOf(['x/a.png', 'b.png'], 100, 50))

async function imported(name: string, files: Record<string, string | Uint8Array>, into = target) {
  const format = formats.find((one) => one.name === name)
  if (!format) throw new Error(`there is no format ${name}`)
  const { report, shapes, tracks } = await importBytes(format, await zipOf(files), into)
  return { shapes, tracks, entries: report.entries }
}

type Size = readonly [width: unknown, height: unknown]
type Sized = (...sizes: Size[]) => Record<string, string | Uint8Array>

/** Files of each format for the images `a.png` and `b.png` with the given sizes and one box each. */
const filesOf: Record<string, Sized> = {
  'COCO 1.0': (...sizes) => ({
    'annotations/instances_train.json': JSON.stringify({
      images: sizes.map(([width, height], id) => ({
        id,
        file_name: `${'ab'[id]}.png`,
        width,
        height,
      })),
      categories: [{ id: 1, name: 'car' }],
      annotations: sizes.map((_, id) => ({
        id,
        image_id: id,
        category_id: 1,
        bbox: [1, 2, 10, 20],
      })),
    }),
  }),
  'Pascal VOC 1.1': (...sizes) =>
    Object.fromEntries(
      sizes.map(([width, height], at) => [
        `Annotations/${'ab'[at]}.xml`,
        documentText(
          `<size><width>${width}</width><height>${height}</height></size>`,
          objectText({ name: 'car' }),
        ),
      ]),
    ),
  'LabelMe 3.0': (...sizes) =>
    Object.fromEntries(
      sizes.map(([width, height], at) => [
        `default/${'ab'[at]}.xml`,
        `<annotation><imagesize><nrows>${height}</nrows><ncols>${width}</ncols></imagesize>
<object><name>car</name><polygon><pt><x>1</x><y>2</y></pt><pt><x>9</x><y>2</y></pt>
<pt><x>9</x><y>9</y></pt></polygon></object></annotation>`,
      ]),
    ),
  'Service 1.1': (...sizes) => ({
    'annotations.xml': `<annotations>${sizes
      .map(
        ([width, height], at) =>
          `<image name="${'ab'[at]}.png" width="${width}" height="${height}"><box label="car" xtl="1" ytl="2" xbr="3" ybr="4"/></image>`,
      )
      .join('')}</annotations>`,
  }),
  'TFRecord 1.0': (...sizes) => ({
    'a.tfrecord': Buffer.concat(
      sizes.map(([width, height], at) =>
        recordOf({
          'image/filename': `${'ab'[at]}.png`,
          'image/width': Number(width) || 0,
          'image/height': Number(height) || 0,
          'image/object/class/text': ['car'],
          'image/object/bbox/xmin': [0.1],
          'image/object/bbox/xmax': [0.2],
          'image/object/bbox/ymin': [0.1],
          'image/object/bbox/ymax': [0.2],
        }),
      ),
    ),
  }),
}

describe.each(Object.entries(filesOf))('%s', (name, files) => {
  test.each<[string, Size]>([
    ['of a larger picture', [200, 100]],
    ['of a turned picture', [50, 100]],
    ['of another width', [101, 50]],
  ])('a declared size %s is reported once', async (_, [width, height]) => {
    const { shapes, entries } = await imported(name, files([width, height], [width, height]))
    expect(shapes).toHaveLength(2)
    expect(entries).toMatchObject([
      {
        kind: 'converted',
        code: 'other-size',
        count: 2,
        examples: [
          {
            item: expect.stringMatching(
              `a.*: ${width} x ${height} in the file, 100 x 50 in the task`,
            ),
          },
          {
            item: expect.stringMatching(
              `b.*: ${width} x ${height} in the file, 100 x 50 in the task`,
            ),
          },
        ],
      },
    ])
  })

  test('a declared size equal to the frame is not reported', async () => {
    expect((await imported(name, files([100, 50], [100, 50]))).entries).toEqual([])
  })

  test('a declared size that is missing or not a number is not reported', async () => {
    for (const size of ['', 0, 'no', -1])
      expect((await imported(name, files([size, size]))).entries).toEqual([])
  })
})

describe('tracks of a native document', () => {
  const track =
    '<track id="3" label="car"><box frame="0" outside="0" keyframe="1" xtl="1" ytl="1" xbr="9" ybr="9"/></track>'
  const meta = (width: number, height: number) =>
    `<meta><task><id>1</id><size>2</size><mode>interpolation</mode><original_size><width>${width}</width><height>${height}</height></original_size></task></meta>`
  const read = (text: string) =>
    imported('Service 1.1', { 'annotations.xml': `<annotations>${text}</annotations>` })

  test('of a video with another size are reported once', async () => {
    const { tracks, entries } = await read(`${meta(640, 480)}${track}${track}`)
    expect(tracks).toHaveLength(2)
    const item = 'track 3: 640 x 480 in the file, 100 x 50 in the task'
    expect(entries).toMatchObject([
      { code: 'other-size', count: 1, examples: [{ file: 'annotations.xml', item }] },
    ])
  })

  test('of a video with the same size are not reported', async () => {
    expect((await read(`${meta(100, 50)}${track}`)).entries).toEqual([])
    expect((await read(track)).entries).toEqual([])
  })
})

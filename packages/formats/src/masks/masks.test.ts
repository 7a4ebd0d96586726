import { cropToBitmap } from '@reticle/geometry'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rgb } from '../image/colors.ts'
import { type Png, writeGrey16Png } from '../image/png.ts'
import { createRun, framesOf, labelOf, shapeOf } from '../testing/run.ts'
import { labelledMasks } from './class-pictures.ts'
import { type MaskInstance, maskInstances } from './instances.ts'
import { labelMapText, type MapLabel, readLabelMap, vocLabels, voidColor } from './label-map.ts'
import { paintInstances } from './paint.ts'
import { readMaskPicture } from './picture.ts'
import { regionsOf } from './regions.ts'

const location = { file: 'a.png' }
const labels = new Map([1, 2].map((id) => [id, labelOf({ id, name: `label ${id}` })]))
const [frame] = framesOf(['a.jpg'], 8, 6)
if (!frame) throw new Error('no frame')

describe('instances of a frame', () => {
  test('are ordered by z order, then by position; a group is one instance with its largest label', () => {
    const { run } = createRun()
    const shapes = [
      shapeOf({ points: [0, 0, 4, 2], z_order: 1 }),
      shapeOf({ points: [1, 1, 3, 4], label_id: 2 }),
      shapeOf({ points: [0, 4, 2, 6], group: 5 }),
      shapeOf({ type: 'mask', points: [0, 6, 5, 3, 7, 4], group: 5, label_id: 2 }),
      shapeOf({ points: [20, 20, 30, 30] }),
    ]
    const instances = maskInstances(shapes, labels, frame, run)
    expect(instances.map(({ leader, label }) => [leader.type, label.id])).toEqual([
      ['rectangle', 2],
      ['mask', 2],
      ['rectangle', 1],
    ])
    const raster = paintInstances(new Uint8Array(48), instances, frame, (_, index) => index + 1)
    expect(rowsOf(raster, 8)).toEqual([
      '33330000',
      '33330000',
      '01100000',
      '01100222',
      '22000222',
      '22000000',
    ])
    expect(run.report.read()).toMatchObject({
      created: { shapes: 3 },
      dropped: 1,
      entries: [
        { code: 'dropped-shape-type', reason: 'rectangles are written as masks', count: 3 },
        { code: 'merged-group', count: 1 },
        { code: 'degenerate-shape', count: 1, examples: [{ item: 'a.jpg' }] },
      ],
    })
  })
})

test('a group with one label is reported as well', () => {
  const { run } = createRun()
  const shapes = [0, 4].map((x) => shapeOf({ points: [x, 0, x + 2, 2], group: 1 }))
  expect(maskInstances(shapes, labels, frame, run)).toHaveLength(1)
  expect(run.report.read().entries).toMatchObject([
    { code: 'dropped-shape-type', count: 2 },
    { kind: 'converted', code: 'merged-group', count: 1, examples: [{ item: 'a.jpg' }] },
  ])
})

test('an object that is completely covered is reported and keeps its number', () => {
  const { run } = createRun()
  const shapes = [
    shapeOf({ points: [1, 1, 3, 3] }),
    shapeOf({ points: [0, 0, 2, 6], label_id: 2 }),
    shapeOf({ points: [2, 0, 8, 6] }),
  ]
  const instances = maskInstances(shapes, labels, frame, run)
  expect(instances.map(({ label }) => label.id)).toEqual([1, 2, 1])
  expect(run.report.read()).toMatchObject({
    created: { shapes: 2 },
    dropped: 1,
    entries: [
      {
        code: 'degenerate-shape',
        reason: 'the shape is covered by others',
        examples: [{ item: 'a.jpg' }],
      },
      { code: 'dropped-shape-type', count: 2 },
    ],
  })
})

test('painted instances are read back pixel by pixel', () => {
  const sizes = fc.record({
    width: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(sizes, fc.infiniteStream(fc.integer({ min: 0, max: 2 })), (size, random) => {
      const classes = Uint8Array.from(
        { length: size.width * size.height },
        () => random.next().value,
      )
      const objects = classes.map(() => random.next().value)
      const regions = regionsOf(
        size,
        (at) => classes[at] ?? 0,
        (at) => objects[at] ?? 0,
        location,
      )
      const again = new Array<string>(classes.length).fill('')
      for (const region of regions) {
        const { left, top, width, bits } = cropToBitmap(region.crop())
        expect(bits.filter((bit) => bit === 1)).toHaveLength(region.pixels)
        for (const [at, bit] of bits.entries()) {
          const to = (top + Math.floor(at / width)) * size.width + left + (at % width)
          if (bit === 1) again[to] += `${region.class} ${region.object}`
        }
      }
      expect(again).toEqual([...classes].map((one, at) => `${one} ${objects[at]}`))
    }),
  )
})

test('a mask of the full width is painted', () => {
  const instance: MaskInstance = {
    leader: shapeOf({}),
    label: labelOf({ name: 'a' }),
    runs: [0, 48],
  }
  const raster = paintInstances(new Uint8Array(48), [instance], frame, () => 7)
  const [region] = regionsOf(
    frame,
    (at) => raster[at] ?? 0,
    () => 0,
    location,
  )
  expect(region?.crop()).toEqual([0, 48, 0, 0, 7, 5])
})

describe('the label map', () => {
  test('is written and read again', () => {
    const text = `# label:color_rgb:parts:actions
background:0,0,0::
a b:255,0,7:head,foot:runs
no colour:::
`
    const read = readLabelMap(
      Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}\r\n`),
      'labelmap.txt',
    )
    expect(read).toEqual([
      { name: 'background', color: 0, parts: [], actions: [] },
      { name: 'a b', color: 0xff0007, parts: ['head', 'foot'], actions: ['runs'] },
      { name: 'no colour', color: undefined, parts: [], actions: [] },
    ])
    expect(labelMapText(read)).toBe(text)
  })

  test.each([
    [
      'a:1,2,3:',
      'labelmap.txt: "a:1,2,3:" is no label, expected name:r,g,b:parts:actions at line 2',
    ],
    ['a:1,2,3:::', 'is no label'],
    [':1,2,3::', 'is no label'],
    ['a:1,2::', 'labelmap.txt: "1,2" is no colour r,g,b at line 2'],
    ['a:1,2,256::', 'is no colour'],
    ['a:::\na:::', "labelmap.txt: label 'a' is given twice at line 3"],
  ])('refuses %j', (line, reason) => {
    expect(() => readLabelMap(Buffer.from(`# x\n${line}\n`), 'labelmap.txt')).toThrow(reason)
  })

  test.each(['a:b', '#a', 'a\nb'])('cannot contain a label named %j', (name) => {
    const label = { name, color: 1, parts: [], actions: [] }
    expect(() => labelMapText([label])).toThrow('cannot be written to labelmap.txt')
  })

  test('of VOC has the colours of the palette', () => {
    expect(vocLabels).toHaveLength(21)
    expect(vocLabels.find(({ name }) => name === 'person')?.color).toBe(rgb(192, 128, 128))
    expect(vocLabels.at(-1)).toMatchObject({ name: 'tvmonitor', color: rgb(0, 64, 128) })
  })
})

describe('images of classes', () => {
  const [red, green, blue] = [0xff0000, 0x00ff00, 0x0000ff]
  const map: MapLabel[] = [
    { name: 'background', color: 0, parts: [], actions: [] },
    { name: 'car', color: red, parts: [], actions: [] },
    { name: 'bus', color: green, parts: [], actions: [] },
    { name: 'second bus', color: green, parts: [], actions: [] },
  ]
  const found = (classes: Png, objects?: Png, given = map) =>
    labelledMasks(classes, objects, given, location)
      .filter(({ isBackground }) => !isBackground)
      .map(({ label, crop }) => [label, ...crop()])

  test('yield a mask for each object and class, and black is no object', () => {
    const classes = indexed([0, 1, 1, 2, 2, 1], [0, red, green])
    const objects = indexed([1, 1, 1, 1, 2, 0], [0, blue, red])
    expect(found(classes, objects)).toEqual([
      ['car', 0, 2, 1, 0, 2, 0],
      ['bus', 0, 1, 3, 0, 3, 0],
      ['bus', 0, 1, 4, 0, 4, 0],
    ])
  })

  test('yield one mask for each class when there is no image of objects', () => {
    expect(found(indexed([1, 0, 1, 2], [0, red, green]))).toEqual([
      ['car', 0, 1, 1, 1, 0, 0, 2, 0],
      ['bus', 0, 1, 3, 0, 3, 0],
    ])
  })

  test('yield the same masks for palettes, RGB and RGBA', () => {
    const expected = [['car', 0, 1, 1, 0, 1, 0]]
    const rest = { width: 2, height: 1 }
    const rgba = Uint8Array.of(0, 0, 0, 255, 255, 0, 0, 0)
    expect(found(indexed([0, 1], [0, red]))).toEqual(expected)
    expect(found({ ...rest, kind: 'rgb', samples: Uint8Array.of(0, 0, 0, 255, 0, 0) })).toEqual(
      expected,
    )
    expect(found({ ...rest, kind: 'rgba', samples: rgba })).toEqual(expected)
  })

  test('use grey values as label indexes', () => {
    const samples = Uint8Array.of(0, 1, 255, 2)
    expect(found({ width: 4, height: 1, kind: 'grey', samples })).toEqual([
      ['car', 0, 1, 1, 0, 1, 0],
      ['bus', 0, 1, 3, 0, 3, 0],
    ])
  })

  test('treat black and the border colour as background even when no label has them', () => {
    expect(found(indexed([0, 1, 2], [0, voidColor, red]), undefined, map.slice(1))).toEqual([
      ['car', 0, 1, 2, 0, 2, 0],
    ])
  })

  test('are refused with the name of a colour without a label, and its pixel count', () => {
    expect(() => found(indexed([1, 1, 2], [0, 0x010203, red]))).toThrow(
      'a.png: no label has the colour 1,2,3 (2 pixels)',
    )
    const grey: Png = { width: 1, height: 1, kind: 'grey', samples: Uint8Array.of(9) }
    expect(() => found(grey)).toThrow('a.png: no label has the class 9 (1 pixels)')
  })
})

test('an image of another size than its frame is refused before its pixels are read', async () => {
  const bytes = writeGrey16Png(3, 2, new Uint16Array(6))
  await expect(readMaskPicture(bytes, { width: 2, height: 3 }, location)).rejects.toThrow(
    'a.png: mask of 3 x 2 pixels on a frame of 2 x 3',
  )
  expect(await readMaskPicture(bytes, undefined, location)).toMatchObject({ width: 3, height: 2 })
})

function rowsOf(raster: Uint8Array, width: number): string[] {
  return Array.from({ length: raster.length / width }, (_, row) =>
    raster.subarray(row * width, (row + 1) * width).join(''),
  )
}

/** An image of one row. */
function indexed(samples: readonly number[], palette: readonly number[]): Png {
  return {
    width: samples.length,
    height: 1,
    kind: 'indexed',
    samples: Uint8Array.from(samples),
    palette,
  }
}

import { describe, expect, test } from 'vitest'
import { writeGrey16Png, writePalettePng, writeRgbPng } from '../../image/png.ts'
import { createSpec, labels, twoFrames } from '../../testing/coco.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { labelMe } from '../labelme.ts'

/** An object, by default a triangle with the label `road`. */
function objectText({ name = 'road', shape = polygonText(), more = '' } = {}): string {
  return `<object><name>${name}</name>${more}${shape}</object>`
}

function polygonText(points = [1, 2, 11, 2, 11, 22.5]): string {
  const corners = points.flatMap((x, at) =>
    at % 2 === 0 ? `<pt>\n<x>\n${x}\n</x><y>${points[at + 1]}</y></pt>` : [],
  )
  return `<polygon><username>jo</username>${corners.join('')}</polygon>`
}

const maskText = (picture: string): string => `<segm><mask>${picture}</mask></segm>`

const documentText = (objects: string[], { filename = 'a.jpg', folder = '' } = {}): string =>
  `<annotation><filename>\n${filename}\n</filename><folder>${folder}</folder>\n${objects.join('\n')}\n</annotation>`

async function imported(
  files: Record<string, string | Uint8Array>,
  frames = twoFrames(),
  known = labels,
) {
  const target = targetOf(known, frames)
  return importBytes(labelMe, await zipOf(files), target, { conv_mask_to_poly: false })
}

const parts = (id: number, has: string, of: string): string =>
  `<id>${id}</id><parts><hasparts>${has}</hasparts><ispartof>${of}</ispartof></parts>`

/** An image of 100 x 80 pixels with the given pixels set. */
function picture(pixels: Record<number, number>, size = 100 * 80): Uint8Array {
  const colors = new Uint32Array(size)
  for (const [at, color] of Object.entries(pixels)) colors[Number(at)] = color
  return writeRgbPng(100, size / 100, colors)
}

describe('a LabelMe import finds frames in this layout', () => {
  const one = documentText([objectText()])
  const other = documentText([objectText()], { filename: 'c.jpg', folder: 'b' })
  test.each<[string, Record<string, string>, number[]]>([
    ['flat', { 'a.xml': one, 'c.xml': other }, [0, 1]],
    ['in subsets', { 'train/a.xml': one, 'val/b/c.xml': other }, [0, 1]],
    ['in subsets in a folder', { 'set/train/a.xml': one, 'set/val/b/c.xml': other }, [0, 1]],
    ['as the tool does', { 'Annotations/a/a.xml': one, 'Annotations/b/c.xml': other }, [0, 1]],
  ])('%s', async (_, files, frames) => {
    const { shapes } = await imported(files)
    expect(shapes.map(({ frame }) => frame)).toEqual(frames)
  })
})

describe('the frame of a document is', () => {
  const read = async (path: string, given: object, frames: string[]) => {
    const document = documentText([objectText()], given)
    const { shapes } = await imported({ [path]: document }, framesOf(frames))
    return shapes[0]?.frame
  }
  test.each<[string, string, object, string[]]>([
    ['that of folder and filename', 'x.xml', { folder: 's' }, ['a.jpg', 's/a.jpg']],
    [
      'that of the filename, as the folder is a collection',
      'x.xml',
      { folder: 's' },
      ['b.jpg', 'a.jpg'],
    ],
    ['that of the document', 'train/s/x.xml', { folder: 's' }, ['x.jpg', 's/x.jpg']],
    ['that of the document without a filename', 's/x.xml', { filename: '' }, ['x.jpg', 's/x.jpg']],
    ['that of the extension', 'x.xml', { filename: 'a.png' }, ['a.jpg', 'a.png']],
    [
      'in a folder of the task',
      'train/s/a.xml',
      { folder: 's' },
      ['t/r/a.jpg', 't/s/a.jpg', 'u/s/b.jpg'],
    ],
    ['that of a folder with other slashes', 'x.xml', { folder: '/s\\' }, ['a.jpg', 's/a.jpg']],
    ['found by its name alone', 's/a.xml', {}, ['t/s/b.jpg', 't/s/a.jpg']],
  ])('%s', async (_, path, given, frames) => {
    expect(await read(path, given, frames)).toBe(1)
  })
})

describe('an object of a LabelMe import', () => {
  test('has its shape, flags and attributes', async () => {
    const box = `<type>bounding_box</type>${polygonText([5, 1, 1, 1, 1, 7, 5, 7])}`
    const more = '<deleted>0</deleted><occluded>yes</occluded>'
    const { shapes, report } = await imported({
      'a.xml': documentText([
        objectText({ name: ' \nroad\n ' }),
        objectText({
          name: 'car',
          more: `${more}<attributes>color=dark blue, parked=True, rotation=-30.0</attributes>`,
          shape: box,
        }),
      ]),
    })
    expect(shapes).toMatchObject([
      { type: 'polygon', label_id: 41, points: [1, 2, 11, 2, 11, 22.5], group: 0, source: 'file' },
      {
        type: 'rectangle',
        label_id: 40,
        points: [1, 1, 5, 7],
        rotation: 330,
        occluded: true,
        attributes: [
          { spec_id: 1, value: 'dark blue' },
          { spec_id: 3, value: 'true' },
        ],
      },
    ])
    expect(report.entries).toEqual([])
  })

  test('keeps a known source; an unknown one becomes manual, and the report names it', async () => {
    const sourced = (source: string) =>
      objectText({ more: `<attributes>source=${source}</attributes>` })
    const { shapes, report } = await imported({
      'a.xml': documentText([sourced('auto'), sourced('Ground truth'), objectText()]),
    })
    expect(shapes.map(({ source }) => source)).toEqual(['auto', 'manual', 'file'])
    const reason = 'the source "Ground truth" is unknown, it becomes manual'
    expect(report.entries).toMatchObject([{ kind: 'converted', code: 'unknown-source', reason }])
  })

  test('reads a bare word as a true value, and a user name', async () => {
    const wet = createSpec({ id: 5, name: 'wet', input_type: 'checkbox' })
    const label = labelOf({
      id: 7,
      name: 'x',
      attributes: [wet, createSpec({ id: 6, name: 'username' })],
    })
    const object = objectText({ name: 'x', more: '<attributes>wet, very wet</attributes>' })
    const { shapes, report } = await imported({ 'a.xml': documentText([object]) }, undefined, [
      label,
    ])
    expect(shapes[0]?.attributes).toEqual([
      { spec_id: 6, value: 'jo' },
      { spec_id: 5, value: 'true' },
    ])
    expect(report.entries).toMatchObject([
      { reason: "attribute 'very wet' unknown on label 'x'", examples: [{ file: 'a.xml' }] },
    ])
  })

  test('reads the occlusion from its attributes, and a rotation only for boxes', async () => {
    const more = '<attributes>occluded, rotation=30</attributes>'
    const { shapes, report } = await imported({ 'a.xml': documentText([objectText({ more })]) })
    expect(shapes).toMatchObject([{ type: 'polygon', occluded: true, rotation: 0 }])
    expect(report.entries).toMatchObject([{ code: 'unsupported-rotation', count: 1 }])
  })

  test('is skipped when it is deleted, or has no area, label or frame in the job', async () => {
    const line = polygonText([1, 1, 2, 2])
    const objects = [
      objectText({ more: '<deleted>1</deleted>' }),
      objectText({ shape: line }),
      objectText({ shape: `<type>bounding_box</type>${polygonText([1, 1, 5, 1])}` }),
      objectText({ shape: '<type>bounding_box</type><polygon/>' }),
      objectText({ shape: maskText('m.png') }),
      objectText({ name: '' }),
      objectText(),
    ]
    const bytes = await zipOf({
      'a.xml': documentText(objects),
      'b/c.xml': documentText([objectText()], { filename: 'c.jpg', folder: 'b' }),
      'Masks/m.png': picture({}),
    })
    const target = targetOf(labels, twoFrames())
    const includes = (frame: number) => frame === 0
    const frames = { ...target.frames, includes }
    const { shapes, report } = await importBytes(labelMe, bytes, { ...target, frames })
    expect(shapes).toHaveLength(1)
    expect(report.entries.map(({ code, count }) => [code, count])).toEqual([
      ['degenerate-shape', 4],
      ['unlabelled', 1],
      ['frame-outside-job', 1],
    ])
  })
})

describe('a mask of a LabelMe import', () => {
  const document = documentText([objectText({ shape: maskText('m.png') })])
  const mask = [{ type: 'mask', points: [0, 2, 3, 1, 4, 1] }]
  const pixels = { 103: 0x000001, 104: 0xff0000 }

  test.each([
    ['in Masks', 'a.xml', 'Masks/m.png'],
    ['in Masks of the subset', 'train/a.xml', 'train/Masks/m.png'],
    ['in Masks of all', 'train/a.xml', 'Masks/m.png'],
    ['beside the document', 'train/a.xml', 'train/m.png'],
  ])('is found %s', async (_, path, member) => {
    const { shapes } = await imported({ [path]: document, [member]: picture(pixels) })
    expect(shapes).toMatchObject(mask)
  })

  test.each([
    ['as the tool does', 'Annotations/b/x.xml', 'Masks/b/m.png'],
    ['in a folder of the subset', 'train/b/x.xml', 'train/Masks/b/m.png'],
  ])('is found in the folder of its document first: %s', async (_, path, member) => {
    const nested = documentText([objectText({ shape: maskText('m.png') })], {
      filename: 'c.jpg',
      folder: 'b',
    })
    const wrong = picture({ 0: 1 })
    const { shapes } = await imported({
      [path]: nested,
      [member]: picture(pixels),
      'Masks/m.png': wrong,
      'train/Masks/m.png': wrong,
    })
    expect(shapes).toMatchObject(mask.map((one) => ({ ...one, frame: 1 })))
  })

  test.each<[string, Uint8Array]>([
    [
      '16-bit grey',
      writeGrey16Png(
        100,
        80,
        Uint16Array.from({ length: 8000 }, (_, at) => (at in pixels ? 256 : 0)),
      ),
    ],
    [
      'a palette with black that is seen, and white that is not',
      writePalettePng(
        100,
        80,
        Uint8Array.from({ length: 8000 }, (_, at) => (at in pixels ? 1 : 0)),
        [
          { color: 0, alpha: 0 },
          { color: 0, alpha: 3 },
        ],
      ),
    ],
    [
      'a palette of colours',
      writePalettePng(
        100,
        80,
        Uint8Array.from({ length: 8000 }, (_, at) => (at in pixels ? 1 : 0)),
        [{ color: 0 }, { color: 5 }],
      ),
    ],
  ])('is read from %s', async (_, bytes) => {
    const { shapes } = await imported({ 'a.xml': document, 'Masks/m.png': bytes })
    expect(shapes).toMatchObject(mask)
  })

  test('becomes grouped polygons by default', async () => {
    const bytes = await zipOf({
      'a.xml': documentText([objectText({ shape: maskText('m.png') }), objectText()]),
      'Masks/m.png': picture({ 103: 1, 7000: 1 }),
    })
    const { shapes, report } = await importBytes(labelMe, bytes, targetOf(labels, twoFrames()))
    expect(shapes.map(({ type, group }) => [type, group])).toEqual([
      ['polygon', 1],
      ['polygon', 1],
      ['polygon', 0],
    ])
    expect(report).toMatchObject({ converted: 1 })
  })
})

test('frames of a video are found by the number in the file name', async () => {
  const document = documentText([objectText()], { filename: 'frame_000015.PNG' })
  const target = targetOf(labels, framesOf(['frame_000010', 'frame_000015']))
  const frames = { ...target.frames, is_video: true, start_frame: 10, step: 5 }
  const bytes = await zipOf({ 'default/frame_000015.xml': document })
  const { shapes } = await importBytes(labelMe, bytes, { ...target, frames })
  expect(shapes.map(({ frame }) => frame)).toEqual([1])
})

test('objects that are parts of one another form groups', async () => {
  const of = (id: number, has = '', whole = '') => objectText({ more: parts(id, has, whole) })
  const { shapes } = await imported({
    'a.xml': documentText([
      of(0, '1, 2'),
      of(1, '3'),
      of(2, '', '0'),
      of(3),
      of(4, '5'),
      of(5),
      of(6, '7,99'),
      objectText({ more: `<deleted>1</deleted>${parts(7, '', '6')}` }),
    ]),
  })
  expect(shapes.map(({ group }) => group)).toEqual([1, 1, 1, 1, 2, 2, 0])
})

describe('a LabelMe import refuses', () => {
  const inA = (object: string) => ({ 'a.xml': documentText([object]) })
  test.each<[string, Record<string, string | Uint8Array>, string]>([
    ['XML that is cut', { 'a.xml': '<annotation>\n<object>' }, 'a.xml: unclosed tag: object'],
    [
      'another root',
      { 'a.xml': '<annotations/>' },
      'a.xml: no LabelMe document: the root is <annotations>, expected <annotation> at line 1',
    ],
    [
      'an object of Pascal VOC',
      inA('<object><name>x</name><bndbox/></object>'),
      'a.xml: object 1: <polygon> or <segm> is missing, looks like Pascal VOC at line 4',
    ],
    ['an object without a name', inA('<object/>'), 'a.xml: object 1: <name> is missing at line 4'],
    [
      'an object without a shape',
      inA(objectText({ shape: '' })),
      'a.xml: object 1: <polygon> or <segm> is missing at line 4',
    ],
    [
      'a mask without a picture',
      inA(objectText({ shape: '<segm/>' })),
      'a.xml: object 1: <mask> of the <segm> is missing at line 4',
    ],
    [
      'a point without a side',
      inA(objectText({ shape: '<polygon><pt><x>1</x></pt></polygon>' })),
      'a.xml: object 1: <y> of a <pt> is missing at line 4',
    ],
    ...['NaN', 'Infinity', '', '1,5'].map((text): [string, Record<string, string>, string] => [
      `a number "${text}"`,
      inA(objectText({ shape: `<polygon><pt><x>${text}</x></pt></polygon>` })),
      `a.xml: object 1: x: "${text}" is no number within`,
    ]),
    [
      'a flag that is none',
      inA(objectText({ more: '<occluded>partly</occluded>' })),
      'a.xml: object 1: occluded is "partly", expected true or false at line 4',
    ],
    [
      'a picture that is missing',
      inA(objectText({ shape: maskText('m.png') })),
      'a.xml: object 1: the mask m.png is missing at line 4',
    ],
    [
      'a picture that is none',
      { ...inA(objectText({ shape: maskText('m.png') })), 'Masks/m.png': 'GIF' },
      'Masks/m.png: the PNG picture cannot be read',
    ],
    [
      'a picture of another size',
      { ...inA(objectText({ shape: maskText('m.png') })), 'Masks/m.png': picture({}, 1000) },
      'Masks/m.png: mask of 100 x 10 pixels on a frame of 100 x 80',
    ],
    [
      'labels that the task has not',
      { 'a.xml': documentText(['tree', 'sky'].map((name) => objectText({ name }))) },
      "Labels 'tree', 'sky' are not registered for this task",
    ],
    [
      'an image that has no frame',
      {
        'x.xml': documentText([objectText()], { filename: 'x.png', folder: 'f' }),
        'y.xml': documentText([], { filename: 'y.png' }),
      },
      '1 annotated item has no matching frame in this task: f/x.png',
    ],
    [
      'what the desktop tool writes',
      { 'a.json': '{"version":"5.0","flags":{},"shapes":[]}' },
      'a.json: this is labelme desktop JSON, not LabelMe 3.0',
    ],
    ['an archive of anything else', { 'a.json': '{}' }, 'no LabelMe annotations: expected'],
  ])('%s', async (_, files, message) => {
    await expect(imported(files)).rejects.toThrow(message)
  })
})

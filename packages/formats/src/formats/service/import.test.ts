import { describe, expect, test } from 'vitest'
import type { ImportTarget } from '../../model/dataset.ts'
import { importBytes, shapeOf, zipOf } from '../../testing/run.ts'
import { framesIn, inImage, target } from '../../testing/service.ts'
import { service } from '../service.ts'

const read = (text: string | Uint8Array, into: ImportTarget = target) =>
  importBytes(service, text, into)
const document = (inner: string) => `<annotations>\n${inner}\n</annotations>`

const place = 'occluded="1" z_order="-2" group_id="7"'
const base = { label_id: 40, occluded: true, z_order: -2, group: 7 }

describe('shapes of an image in a native import', () => {
  test.each([
    [
      '<box label="car" xtl="1" ytl="2.5" xbr="3" ybr="4" rotation="-30"',
      { type: 'rectangle', points: [1, 2.5, 3, 4], rotation: 330 },
    ],
    [
      '<ellipse label="car" cx="1" cy="2" rx="3" ry="0" rotation="360"',
      { type: 'ellipse', points: [1, 2, 3, 0] },
    ],
    ['<polygon label="car" points="1,2;3,4;5,6"', { type: 'polygon', points: [1, 2, 3, 4, 5, 6] }],
    ['<polyline label="car" points="1,2;3,4"', { type: 'polyline', points: [1, 2, 3, 4] }],
    ['<points label="car" points="-1,2"', { type: 'points', points: [-1, 2] }],
    [
      '<cuboid label="car" ybr2="16" xbr2="15" ytl2="14" xtl2="13" xbl2="9" ybl2="10" xtr2="11" ytr2="12" xtl1="1" ytl1="2" xbl1="3" ybl1="4" xtr1="5" ytr1="6" xbr1="7" ybr1="8"',
      { type: 'cuboid', points: [1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 9, 10, 11, 12, 15, 16] },
    ],
    [
      '<mask label="car" rle="1,2, 3" left="4" top="5" width="3" height="2"',
      { type: 'mask', points: [1, 2, 3, 4, 5, 6, 6] },
    ],
  ])('%s', async (element, expected) => {
    const { shapes, report } = await read(inImage(`${element} source="auto" ${place}/>`))
    expect(shapes).toEqual([shapeOf({ ...base, ...expected } as never)])
    expect(report).toMatchObject({ created: { shapes: 1 }, skipped: 0, converted: 0 })
  })

  test('missing attributes have defaults, and the source is "file"', async () => {
    const { shapes } = await read(inImage('<points label="car" source="manual" points="1,2"/>'))
    expect(shapes).toEqual([
      shapeOf({ type: 'points', label_id: 40, points: [1, 2], source: 'file' }),
    ])
  })

  test('a skeleton has its elements in the order of its label', async () => {
    const point = (label: string, rest: string) => `<points label="${label}" points="1,2" ${rest}/>`
    const { shapes } = await read(
      inImage(
        `<skeleton label="person" z_order="3" points="">${point('foot', 'outside="1"')}${point(
          'head',
          'occluded="1"',
        )}<attribute name="mood">good</attribute></skeleton>`,
      ),
    )
    const element = { type: 'points', points: [1, 2] } as const
    expect(shapes).toEqual([
      shapeOf({
        type: 'skeleton',
        label_id: 41,
        points: [],
        z_order: 3,
        attributes: [{ spec_id: 4, value: 'good' }],
        elements: [
          shapeOf({ ...element, label_id: 42, occluded: true }),
          shapeOf({ ...element, label_id: 43, outside: true }),
        ],
      }),
    ])
  })

  test('tags and attribute values are read', async () => {
    const values =
      '<attribute name="color">red &amp; blue</attribute><attribute name="parked">True</attribute>'
    const { imported, report } = await read(
      inImage(`<tag label="car" group_id="3">${values}<attribute name="x"/></tag>`),
    )
    const attributes = [
      { spec_id: 1, value: 'red & blue' },
      { spec_id: 3, value: 'true' },
    ]
    const tag = { frame: 0, label_id: 40, group: 3, source: 'file', attributes }
    expect(imported).toEqual([{ kind: 'tag', tag }])
    const reason = "attribute 'x' unknown on label 'car'"
    expect(report.entries).toMatchObject([{ code: 'dropped-attribute', reason, count: 1 }])
  })
})

describe('a native import skips and reports', () => {
  test.each([
    ['<box label="" xtl="1" ytl="1" xbr="2" ybr="2"/>', 'unlabelled'],
    ['<box label="car" xtl="1" ytl="1" xbr="1" ybr="2"/>', 'degenerate-shape'],
    ['<polygon label="car" points="1,1;2,2"/>', 'degenerate-shape'],
    ['<polyline label="car" points="1,1"/>', 'degenerate-shape'],
    ['<points label="car" points=""/>', 'degenerate-shape'],
    ['<mask label="car" rle="4" left="0" top="0" width="2" height="2"/>', 'degenerate-shape'],
    ['<mask label="car" rle="0, 4" left="100" top="0" width="2" height="2"/>', 'degenerate-shape'],
    ['<skeleton label="person"/>', 'degenerate-shape'],
    ['<box label="person" xtl="1" ytl="1" xbr="2" ybr="2"/>', 'dropped-shape-type'],
  ])('%s', async (element, code) => {
    const { imported, report } = await read(inImage(element))
    expect(imported).toEqual([])
    expect(report.entries).toMatchObject([{ kind: 'skipped', code, count: 1 }])
    expect(report.entries[0]?.examples).toEqual([{ file: 'annotations.xml', item: 'image a.jpg' }])
  })

  test('a mask is clipped to its frame', async () => {
    const mask =
      '<mask label="car" rle="1, 2, 1, 4, 1, 2, 1" left="-2" top="-1" width="4" height="3"/>'
    const { shapes, report } = await read(inImage(mask))
    expect(shapes).toMatchObject([{ points: [0, 3, 1, 0, 0, 1, 1] }])
    expect(report.entries).toMatchObject([{ kind: 'converted', code: 'clipped' }])
  })

  test('runs of zero pixels are joined with their neighbours', async () => {
    const mask = '<mask label="car" rle="1, 2, 0, 1, 2, 0" left="0" top="0" width="3" height="2"/>'
    expect((await read(inImage(mask))).shapes).toMatchObject([{ points: [1, 3, 2, 0, 0, 2, 1] }])
  })

  test('a mask that declares a huge box takes no memory', async () => {
    const mask = `<mask label="car" rle="0, ${1e14}" left="0" top="0" width="10000000" height="10000000"/>`
    expect((await read(inImage(mask))).shapes).toMatchObject([{ points: [0, 8000, 0, 0, 99, 79] }])
  })

  test('unknown elements are ignored', async () => {
    const inner = '<meta><task><z_order>True</z_order><box/></task></meta><x><box/></x><version/>'
    const { imported, report } = await read(
      document(`${inner}<image name="a.jpg"><y><box/></y></image>`),
    )
    expect([imported, report.skipped]).toEqual([[], 0])
  })
})

describe('frames of images in a native import', () => {
  const box = '<box label="car" xtl="1" ytl="2" xbr="3" ybr="4"/>'
  const image = (given: string, inner = box) => `<image ${given}>${inner}</image>`
  const video = framesIn(['frame_000010.png', 'frame_000013.png'], {
    start_frame: 10,
    step: 3,
    is_video: true,
  })

  test.each([
    ['name="b/c.jpg" id="0"', target, [1]],
    ['id="1"', target, [1]],
    ['name="" id="1"', target, [1]],
    ['name="old/C.JPG" id="0"', target, [1]],
    ['name="c.jpg"', target, [1]],
    ['name="frame_000013"', video, [1]],
    ['name="frame_000013.PNG" id="10"', video, [1]],
    ['id="13" name="other"', video, [1]],
  ])('%s', async (given, into, expected) => {
    const { shapes } = await read(document(image(given)), into)
    expect(shapes.map(({ frame }) => frame)).toEqual(expected)
  })

  test('a named image that the task does not have is not found by its id', async () => {
    const attempt = read(document(image('name="x.jpg" id="1"')), target)
    await expect(attempt).rejects.toThrow('no matching frame in this task: x.jpg')
  })

  test('a video frame between those of the task is not found by its id', async () => {
    const attempt = read(document(image('name="frame_000012" id="13"')), video)
    await expect(attempt).rejects.toThrow('no matching frame in this task: frame_000012')
  })

  test('the prefix of the deepest name applies to all names', async () => {
    const into = framesIn(['x/1.jpg', 'y/1.jpg', 'y/set/2.jpg'])
    const text = document(image('name="1.jpg"') + image('name="set/2.jpg"'))
    expect((await read(text, into)).shapes.map(({ frame }) => frame)).toEqual([1, 2])
  })

  test('annotated images without a frame fail the import', async () => {
    expect((await read(document(image('name="none.jpg"', '')))).imported).toEqual([])
    const attempt = read(document(image('name="n1"') + image('name="n1"') + image('name="n2"')))
    await expect(attempt).rejects.toThrow(
      '2 annotated items have no matching frame in this task: n1, n2',
    )
  })

  test('frames outside the job are skipped', async () => {
    const into = framesIn(['a.jpg', 'b.jpg'], { includes: (frame) => frame === 1 })
    const { shapes, report } = await read(
      document(image('name="a.jpg"') + image('name="b.jpg"')),
      into,
    )
    expect(shapes.map(({ frame }) => frame)).toEqual([1])
    expect(report.entries).toMatchObject([{ code: 'frame-outside-job', count: 1 }])
  })
})

describe('files of a native import', () => {
  const image = (name: string) => `<image name="${name}"><tag label="car"/></image>`

  test('every XML file of an archive is read, and nothing else', async () => {
    const zip = await zipOf({
      'x/two.XML': document(image('b/c.jpg')),
      'one.xml': `\ufeff<?xml version="1.0"?>\r\n${document(image('a.jpg'))}`,
      'images/a.jpg': 'no picture',
    })
    const { imported, progress } = await read(zip)
    expect(imported).toMatchObject([{ tag: { frame: 0 } }, { tag: { frame: 1 } }])
    expect(progress.at(-1)).toBe(1)
  })

  test.each([
    ['{"images": []}', 'expected an XML file or a ZIP archive'],
    ['', 'the file is empty'],
    [
      '<annotation>\n</annotation>',
      'annotations.xml: not a Service file: the root is <annotation>, expected <annotations> at line 1',
    ],
  ])('%j is refused', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message)
  })

  test('an archive without XML is refused', async () => {
    await expect(read(await zipOf({ 'a.txt': '' }))).rejects.toThrow('no XML file in the archive')
  })

  test('all missing labels are named', async () => {
    const inner = '<tag label="x"/><tag label="background"/><tag label="y"/><tag label="x"/>'
    const message = "Labels 'x', 'y' are not registered for this task"
    await expect(read(inImage(inner))).rejects.toThrow(message)
  })
})

describe('a native import names file, image or track, and line of an error', () => {
  const box = 'xtl="1" ytl="2" xbr="3" ybr="4"'
  test.each([
    [`<box ${box}/>`, 'image a.jpg: the attribute label is missing'],
    ['<box label="car" xtl="1" ytl="2" xbr="3"/>', 'image a.jpg: the attribute ybr is missing'],
    ['<box label="car" xtl="1" ytl="2" xbr="3" ybr="x"/>', 'image a.jpg: ybr: "x" is no number'],
    ['<box label="car" xtl="1" ytl="2" xbr="3" ybr="NaN"/>', 'ybr: "NaN" is no number'],
    ['<box label="car" xtl="1" ytl="2" xbr="3" ybr=""/>', 'ybr: "" is no number'],
    ['<box label="car" xtl="1" ytl="2" xbr="3" ybr="1e9"/>', 'ybr: "1e9" is no number within'],
    [`<box label="car" ${box} occluded="2"/>`, 'occluded: "2" is neither 0 nor 1'],
    [`<box label="car" ${box} z_order="1.5"/>`, 'z_order: "1.5" is no whole number'],
    [`<box label="car" ${box} z_order="3000000000"/>`, 'z_order: 3000000000 is not within'],
    [`<box label="car" ${box} group_id="-1"/>`, 'group_id: -1 is below 0'],
    [`<box label="car" ${box} rotation="x"/>`, '"x" is no number'],
    ['<ellipse label="car" cx="1" cy="2" rx="-3" ry="4"/>', 'rx and ry may not be negative'],
    ['<polygon label="car" points="1,2;3"/>', '"3" is no point'],
    [
      '<mask label="car" rle="1, 2" left="0" top="0" width="2" height="2"/>',
      'rle counts 3 pixels, expected 2 x 2',
    ],
    [
      '<mask label="car" rle="4" left="0.5" top="0" width="2" height="2"/>',
      '"0.5" is no whole number',
    ],
    ['<mask label="car" rle="0" left="0" top="0" width="0" height="2"/>', 'rle counts 0 pixels'],
    [`<box label="car" ${box}><box/></box>`, '<box> within a shape or tag'],
    [`<tag label="car"><image/></tag>`, '<image> within a shape or tag'],
    ['<image/>', '<image> within an <image>'],
    ['<track/>', '<track> within an <image>'],
    ['<tag label="car"><attribute>x</attribute></tag>', 'the attribute name is missing'],
    [
      '<tag label="car"><attribute name="parked">maybe</attribute></tag>',
      'attribute "parked" is "maybe", expected true or false',
    ],
    [
      '<tag label="car"><attribute name="color"><x/></attribute></tag>',
      '<x> within an <attribute>',
    ],
    [
      '<skeleton label="person"><points label="hat" points="1,2"/></skeleton>',
      "Label 'person' has no point 'hat'",
    ],
    ['<tag label="car">\n</box>', 'unexpected close tag'],
  ])('%s', async (inner, message) => {
    const line = message === 'unexpected close tag' ? 4 : 3
    const attempt = read(inImage(inner))
    await expect(attempt).rejects.toThrow(message)
    await expect(attempt).rejects.toThrow(`at line ${line}`)
    await expect(attempt).rejects.toThrow('annotations.xml: ')
    await expect(attempt).rejects.toMatchObject({ name: 'FormatError' })
  })

  test.each([
    ['<box/>', '<box> outside of an <image> or <track>'],
    ['<attribute/>', '<attribute> outside of an <image> or <track>'],
    ['<image/>', 'it has neither name nor id'],
    ['<image id="x"/>', 'id: "x" is no whole number'],
    ['<track/>', 'the attribute label is missing'],
  ])('%s', async (inner, message) => {
    await expect(read(document(inner))).rejects.toThrow(message)
  })

  test('an error in a document of an archive names that document', async () => {
    const zip = await zipOf({ 'd/one.xml': '<annotations>\n<image name="a.jpg">\n' })
    await expect(read(zip)).rejects.toThrow('d/one.xml: unclosed tag: image in <image> at line 3')
  })
})

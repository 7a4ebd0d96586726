import { describe, expect, test } from 'vitest'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import {
  attributesText,
  car,
  documentText,
  importVocFiles,
  labels,
  objectText,
  ship,
  twoFrames,
} from '../../testing/voc.ts'
import { voc } from '../voc.ts'

const one = documentText(objectText())

describe('a Pascal VOC archive layout', () => {
  test.each<[string, Record<string, string>, number[]]>([
    [
      'as the data set is',
      {
        'Annotations/a.xml': one,
        'Annotations/b/c.xml': one,
        'ImageSets/Main/train.txt': 'a\nb/c\n',
      },
      [0, 1],
    ],
    ['in folders', { 'VOCdevkit/VOC2012/Annotations/a.xml': one }, [0]],
    ['without lists', { 'Annotations/a.xml': one, 'Annotations/b/c.xml': one }, [0, 1]],
    ['flat', { 'a.xml': one, 'c.xml': one }, [0, 1]],
    ['in one folder', { 'my set/a.xml': one, 'my set/c.xml': one }, [0, 1]],
    ['in folders of subsets', { 'train/a.xml': one, 'valid/c.xml': one }, [0, 1]],
    [
      'with images in several subsets',
      {
        'Annotations/a.xml': one,
        'ImageSets/Main/train.txt': 'a',
        'ImageSets/Main/trainval.txt': 'a',
        'ImageSets/Segmentation/train.txt': 'a',
      },
      [0],
    ],
  ])('is accepted: %s', async (_, files, frames) => {
    const { shapes } = await importVocFiles(files)
    expect(shapes.map(({ frame }) => frame)).toEqual(frames)
  })

  test('is accepted with documents that no list names, which are reported', async () => {
    const { shapes, report } = await importVocFiles({
      'Annotations/a.xml': one,
      'Annotations/other.xml': one,
      'another/Annotations/a.xml': one,
      'ImageSets/Main/train.txt': 'a',
    })
    expect(shapes).toHaveLength(1)
    expect(report.entries).toMatchObject([
      {
        code: 'ignored-file',
        examples: [{ file: 'Annotations/other.xml' }, { file: 'another/Annotations/a.xml' }],
      },
    ])
  })
})

describe('lists of a Pascal VOC import', () => {
  const frames = framesOf(['a.jpg', 'with blank.jpg', '#1.jpg'])
  const read = async (files: Record<string, string>) =>
    importBytes(voc, await zipOf(files), targetOf(labels, frames))

  test('accept comments, blanks, any line ends, and quotes around ids', async () => {
    const { imported, report } = await read({
      'Annotations/a.xml': one,
      'Annotations/with blank.xml': one,
      'Annotations/#1.xml': one,
      'ImageSets/Main/my_set.txt': '\ufeff# of all\r\n\r\n  a  \r\nwith blank\r\n"#1"',
    })
    expect(imported).toHaveLength(3)
    expect(report.entries).toEqual([])
  })

  test('of persons have a number after the id', async () => {
    const { imported } = await read({
      'Annotations/a.xml': one,
      'Annotations/with blank.xml': one,
      'ImageSets/Layout/train.txt': 'a 1\na 2\n"with blank" 1',
    })
    expect(imported).toHaveLength(2)
  })

  test('are refused without a document, mask or tag of their images', async () => {
    const attempt = read({ 'ImageSets/Main/train.txt': 'a\nsomewhere/else' })
    await expect(attempt).rejects.toThrow('no listed picture has a document, masks or tags')
  })

  test('of labels are read as tags, each once', async () => {
    const { imported, report } = await read({
      'ImageSets/Main/train.txt': 'a\nwith blank\n',
      'ImageSets/Main/my_val.txt': '"#1"\n',
      'ImageSets/Main/trainval.txt': 'a\nwith blank\n',
      'ImageSets/Main/car_train.txt': 'a  1\nwith blank -1\n',
      'ImageSets/Main/car_trainval.txt': 'a  1\nwith blank  0\n',
      'ImageSets/Main/road_train.txt': 'a -1\nwith blank  1\nnot listed  1\n',
      'ImageSets/Main/road_my_val.txt': '"#1"  1\n',
      'ImageSets/Main/unknown_train.txt': 'a -1\n',
      'ImageSets/Action/jumping_train.txt': 'a 1  1\n',
    })
    const tags = imported.map((one) =>
      one.kind === 'tag' ? [one.tag.frame, one.tag.label_id] : [],
    )
    expect(tags).toEqual([
      [0, 40],
      [2, 41],
      [1, 41],
    ])
    expect(report).toMatchObject({ created: { tags: 3 }, entries: [] })
  })
})

describe('the frame of a Pascal VOC document is', () => {
  const read = async (document: string, path: string, frames: string[]) => {
    const bytes = await zipOf({ [path]: document })
    const { shapes } = await importBytes(voc, bytes, targetOf(labels, framesOf(frames)))
    return shapes[0]?.frame
  }
  const called = (filename: string) =>
    documentText(`<filename>${filename}</filename>`, objectText())

  test.each<[string, string, string, string[], number]>([
    ['that of the path of the document', 'b.jpg', 'Annotations/a.xml', ['b.jpg', 'a.jpg'], 1],
    ['that of its filename where it has none', 'b.jpg', 'Annotations/x.xml', ['a.jpg', 'b.jpg'], 1],
    ['of that extension of two', '', 'Annotations/a.png.xml', ['a.jpg', 'a.png'], 1],
    ['of its filename, not number', 'b.jpg', 'Annotations/0.xml', ['a.jpg', 'b.jpg'], 1],
    ['that of the base of its filename', 'p/B.JPG', 'Annotations/0.xml', ['x/a.jpg', 'x/b.jpg'], 1],
    ['found by its name alone', '', 'x/A.xml', ['up/b.jpg', 'up/a.jpg'], 1],
    ['cut of its last extension only', '', 'Annotations/a.v2.xml', ['a.jpg', 'a.v2.jpg'], 1],
    ['in a folder of the task', '', 'Annotations/s/1.xml', ['t/s/0.jpg', 't/s/1.jpg'], 1],
  ])('%s', async (_, filename, path, frames, expected) => {
    expect(await read(called(filename), path, frames)).toBe(expected)
  })
})

describe('an object of a Pascal VOC import', () => {
  test('has its box, with fields in any order', async () => {
    const more =
      '<bndbox><ymax>\n 30.5 </ymax><xmin>1</xmin><ymin>2e0</ymin><xmax>5</xmax></bndbox>'
    const { shapes } = await importVocFiles({
      'a.xml': `<?xml version="1.0"?><!DOCTYPE annotation>${documentText(`<object>${more}<name> road\n</name></object>`)}\r\n\n`,
    })
    expect(shapes).toMatchObject([
      { type: 'rectangle', label_id: 41, points: [1, 2, 5, 30.5], source: 'file', rotation: 0 },
    ])
  })

  test('has its flags and attributes', async () => {
    const more = `<occluded>1</occluded>${attributesText({ color: 'blue ', parked: 'True', rotation: '-0.5', other: '' })}`
    const { shapes, report } = await importVocFiles({
      'a.xml': documentText(objectText({ name: 'car', more })),
    })
    expect(shapes).toMatchObject([
      {
        occluded: true,
        rotation: 359.5,
        attributes: [
          { spec_id: 1, value: 'blue ' },
          { spec_id: 3, value: 'true' },
        ],
      },
    ])
    expect(report.entries).toMatchObject([
      {
        code: 'dropped-attribute',
        reason: "attribute 'other' unknown on label 'car'",
        examples: [{ file: 'a.xml', item: 'object 1' }],
      },
    ])
  })

  test.each<[string, string, string[]]>([
    ['', '', []],
    ['as numbers', '<truncated>1</truncated><difficult>0</difficult>', ['true', '0']],
    ['as words', '<truncated>False</truncated><difficult>true</difficult>', ['false', '1']],
    ['unknown', '<truncated/><difficult>Unspecified</difficult>', ['false', '0']],
    [
      'with pose and actions',
      '<pose>Left</pose><actions><sailing>1</sailing><sinking>0</sinking></actions>',
      ['Left', 'true'],
    ],
    [
      'with attributes of those names',
      `<truncated>0</truncated>${attributesText({ truncated: 'True' })}`,
      ['true'],
    ],
  ])('has the fields for which its label has attributes: %s', async (_, more, values) => {
    const bytes = await zipOf({ 'a.xml': documentText(objectText({ name: 'ship', more })) })
    const { shapes, report } = await importBytes(voc, bytes, targetOf([ship], twoFrames()))
    expect(shapes[0]?.attributes.map(({ value }) => value)).toEqual(values)
    expect(report.entries).toEqual([])
  })

  test('loses fields for which its label has no attribute, and this is reported', async () => {
    const more = '<truncated>1</truncated><difficult>0</difficult><pose>Unspecified</pose>'
    const { report } = await importVocFiles({ 'a.xml': documentText(objectText({ more })) })
    expect(report.entries).toMatchObject([
      { reason: "attribute 'truncated' unknown on label 'road'", count: 1 },
    ])
  })

  test('is skipped without area, label, or frame in the job', async () => {
    const bytes = await zipOf({
      'a.xml': documentText(
        objectText({ box: [1, 2, 1, 4] }),
        objectText({ box: [1, 2, 3, 2] }),
        objectText({ name: '' }),
        objectText({ name: 'background' }),
        objectText({ more: `<part><name>head</name>${objectText()}</part>` }),
      ),
      'c.xml': one,
    })
    const target = targetOf(labels, twoFrames())
    const includes = (frame: number) => frame === 0
    const { shapes, report } = await importBytes(voc, bytes, {
      ...target,
      frames: { ...target.frames, includes },
    })
    expect(shapes).toHaveLength(1)
    expect(report.entries.map(({ code, count }) => [code, count])).toEqual([
      ['degenerate-shape', 2],
      ['unlabelled', 1],
      ['dropped-shape-type', 1],
      ['frame-outside-job', 1],
    ])
  })

  test('is kept when it leaves the image', async () => {
    const { shapes } = await importVocFiles({
      'a.xml': documentText(objectText({ box: [-5, -5, 500, 500] })),
    })
    expect(shapes).toMatchObject([{ points: [-5, -5, 500, 500] }])
  })
})

test('frames of a video are found by the number in the file name', async () => {
  const target = targetOf(labels, framesOf(['frame_000010', 'frame_000015']))
  const frames = { ...target.frames, is_video: true, start_frame: 10, step: 5 }
  const bytes = await zipOf({
    'Annotations/frame_000015.xml': one,
    'ImageSets/Main/train.txt': 'frame_000015',
    'ImageSets/Main/car_train.txt': 'frame_000015  1',
  })
  const { imported } = await importBytes(voc, bytes, { ...target, frames })
  expect(imported).toMatchObject([{ shape: { frame: 1 } }, { tag: { frame: 1 } }])
})

test('objects of a track are combined', async () => {
  const part = (keyframe: string, color: string) => ({
    more: attributesText({ track_id: '3', keyframe, color }),
    name: 'car',
  })
  const { shapes, tracks } = await importVocFiles({
    'Annotations/a.xml': documentText(objectText(part('True', 'red'))),
    'Annotations/b/c.xml': documentText(
      objectText({ ...part('False', 'red'), box: [5, 2, 15, 22] }),
    ),
  })
  expect(shapes).toEqual([])
  expect(tracks).toMatchObject([
    {
      label_id: car.id,
      attributes: [{ spec_id: 1, value: 'red' }],
      shapes: [
        { frame: 0, points: [1, 2, 11, 22], keyframe: true, outside: false },
        { frame: 1, points: [5, 2, 15, 22], keyframe: true },
      ],
    },
  ])
})

test('a document may have another encoding', async () => {
  const text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<annotation>\n<object><name>Tür</name>'
  const box = objectText().replace(/^.*<bndbox>/, '<bndbox>')
  const bytes = await zipOf({ 'a.xml': Buffer.from(`${text}${box}</annotation>`, 'latin1') })
  const door = labelOf({ id: 9, name: 'Tür' })
  const { shapes } = await importBytes(voc, bytes, targetOf([door], twoFrames()))
  expect(shapes).toMatchObject([{ label_id: 9 }])
})

describe('a Pascal VOC import refuses', () => {
  const box = (text: string) => objectText({ more: '' }).replace('<xmin>1<', `<xmin>${text}<`)
  test.each<[string, Record<string, string | Uint8Array>, string]>([
    [
      'XML that ends too early',
      { 'Annotations/a.xml': '<annotation>\n<object>' },
      'Annotations/a.xml: unclosed tag: object in <object> at line 2',
    ],
    [
      'another root',
      { 'a.xml': '\n<annotations/>' },
      'a.xml: no Pascal VOC document: the root is <annotations>, expected <annotation> at line 2',
    ],
    [
      'a polygon',
      { 'a.xml': documentText(objectText(), '<object><name>x</name><polygon/></object>') },
      'a.xml: object 2: looks like LabelMe, import it as LabelMe 3.0 at line 3',
    ],
    [
      'an object without a name',
      { 'a.xml': documentText(objectText().replace('<name>road</name>', '')) },
      'a.xml: object 1: <name> is missing at line 2',
    ],
    [
      'an object without a box',
      { 'a.xml': documentText('<object><name>road</name></object>') },
      'a.xml: object 1: <bndbox> is missing at line 2',
    ],
    [
      'a box without a side',
      { 'a.xml': documentText(objectText().replace('<xmin>1</xmin>', '')) },
      'a.xml: object 1: <xmin> of the <bndbox> is missing at line 2',
    ],
    ...['NaN', 'Infinity', '', '1,5', '0x1'].map(
      (text): [string, Record<string, string>, string] => [
        `a side of "${text}"`,
        { 'a.xml': documentText(box(text)) },
        `a.xml: object 1: xmin: "${text}" is no number within -10000000 to 10000000 at line 2`,
      ],
    ),
    [
      'a flag that is none',
      { 'a.xml': documentText(objectText({ more: '<truncated>maybe</truncated>' })) },
      'a.xml: object 1: truncated is "maybe", expected true or false at line 2',
    ],
    [
      'a rotation that is none',
      { 'a.xml': documentText(objectText({ more: attributesText({ rotation: 'left' }) })) },
      'a.xml: object 1: rotation is "left", expected a finite number at line 2',
    ],
    [
      'a value that its attribute has not',
      {
        'a.xml': documentText(
          objectText({ name: 'car', more: attributesText({ parked: 'maybe' }) }),
        ),
      },
      'a.xml: object 1: attribute "parked" is "maybe", expected true or false at line 2',
    ],
    [
      'latin-1 that says it is UTF-8',
      { 'a.xml': Buffer.from('<?xml version="1.0" encoding="utf-8"?>\n<ä/>', 'latin1') },
      'a.xml: not UTF-8 at line 2',
    ],
    [
      'a list that is no UTF-8',
      { 'ImageSets/Main/train.txt': Buffer.from('a\nä', 'latin1') },
      'ImageSets/Main/train.txt: the text is not UTF-8 at line 2',
    ],
    [
      'a DOCTYPE that defines something',
      { 'a.xml': '<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>' },
      'a.xml: a DOCTYPE with definitions is not allowed at line 1',
    ],
    [
      'a label that the task has not',
      { 'a.xml': documentText(objectText({ name: 'tree' }), objectText({ name: 'sky' })) },
      "Labels 'tree', 'sky' are not registered for this task",
    ],
    [
      'a tag that the task has not',
      { 'ImageSets/Main/t.txt': 'a', 'ImageSets/Main/tree_t.txt': 'a  1' },
      "Label 'tree' is not registered for this task",
    ],
    [
      'an image that has no frame',
      { 'x.xml': one, 'y.xml': documentText() },
      '1 annotated item has no matching frame in this task: x',
    ],
    [
      'a second shape of a track on a frame',
      {
        'a.xml': documentText(
          ...[1, 2].map(() =>
            objectText({ more: attributesText({ track_id: '1', keyframe: 'True' }) }),
          ),
        ),
      },
      "a.xml: object 2: a second shape of track 1 of 'road' on frame 0 at line 3",
    ],
    ['an archive of anything else', { 'readme.txt': '' }, 'no Pascal VOC annotations: expected'],
  ])('%s', async (_, files, message) => {
    await expect(importVocFiles(files)).rejects.toThrow(message)
  })

  test('a document without an archive', async () => {
    const bare = importBytes(voc, one, targetOf(labels, twoFrames()))
    await expect(bare).rejects.toThrow('expected a ZIP archive')
  })
})

import { describe, expect, test } from 'vitest'
import { importBytes, zipOf } from '../../testing/run.ts'
import { framesIn, target } from '../../testing/service.ts'
import { service } from '../service.ts'

/**
 * Documents of old and new servers and of other tools: each is imported, or refused with a message that names the
 * valid form.
 */

const box = '<box label="car" xtl="1.00" ytl="2.00" xbr="3.00" ybr="4.00"/>'
const image = `<image id="0" name="a.jpg" width="100" height="80">${box}</image>`
const document = (inner: string, before = '<?xml version="1.0" encoding="utf-8"?>\n') =>
  `${before}<annotations>\n<version>1.1</version>\n${inner}\n</annotations>\n`
const meta = (inner: string) =>
  `<meta>${inner}<dumped>2019-01-01 10:00:00.000000+03:00</dumped></meta>`
const track = (inner: string) => document(`<track id="0" label="car">${inner}</track>`)
const shown = (frame: number, rest = '') =>
  `<box frame="${frame}" outside="0" occluded="0" keyframe="1" xtl="1" ytl="2" xbr="3" ybr="4" ${rest}/>`

const counted = async (content: string | Uint8Array, into = target) => {
  const { shapes, tracks, imported, report } = await importBytes(service, content, into)
  const tags = imported.length - shapes.length - tracks.length
  return { counts: [shapes.length, tracks.length, tags], report }
}

describe('a native import accepts', () => {
  const cases: [string, string, number[]][] = [
    ['a document without description or declaration', document(image, ''), [1, 0, 0]],
    [
      'one of an old server',
      document(
        `${meta('<task><id>1</id><z_order>False</z_order><flipped>False</flipped><mode>annotation</mode><labels><label><name>car</name><attributes/></label></labels><segments/></task>')}${image}`,
      ),
      [1, 0, 0],
    ],
    [
      'one of a job',
      document(
        `${meta('<job><id>1</id></job><original_size><width>100</width><height>80</height></original_size><source>a.mp4</source>')}${track(shown(0)).replace(/<\/?annotations>|<version>.*|<\?.*\n/g, '')}`,
      ),
      [0, 1, 0],
    ],
    ['a DOCTYPE', document(image, '<!DOCTYPE annotations>\n'), [1, 0, 0]],
    [
      'a mark, line ends of Windows',
      `\ufeff${document(image).replaceAll('\n', '\r\n')}\r\n`,
      [1, 0, 0],
    ],
    [
      'the five entities and numbers of characters',
      document(image.replace('a.jpg', '&#97;&#x2e;jpg')),
      [1, 0, 0],
    ],
    [
      'elements that nobody knows',
      document(`<images_extra/>${image.replace(box, `${box}<comment by="x">y</comment>`)}`),
      [1, 0, 0],
    ],
    ['nothing', '<annotations/>', [0, 0, 0]],
    [
      'empty images of another task',
      document('<image id="99" name="z/q.jpg" width="1" height="1"/>'),
      [0, 0, 0],
    ],
    ['an image by its number', document(image.replace('name="a.jpg"', '')), [1, 0, 0]],
    ['flags in words', document(image.replace('xtl', 'occluded="True" xtl')), [1, 0, 0]],
    [
      'a box that is turned inside out',
      document(image.replace('xbr="3.00"', 'xbr="0.50"')),
      [1, 0, 0],
    ],
    [
      'runs without blanks',
      document(
        image.replace(
          box,
          '<mask label="car" rle="0,4" left="0" top="0" width="2" height="2" occluded="0"/>',
        ),
      ),
      [1, 0, 0],
    ],
    [
      'a tag and a skeleton',
      document(
        image.replace(
          box,
          '<tag label="car" source="manual"/><skeleton label="person"><points label="head" points="1,2"/></skeleton>',
        ),
      ),
      [1, 0, 1],
    ],
    [
      'a track that ends',
      track(`${shown(0)}${shown(1).replace('outside="0"', 'outside="1"')}`),
      [0, 1, 0],
    ],
    [
      'a track without keyframes said',
      track(`${shown(0)}${shown(1)}`.replaceAll(' keyframe="1"', '')),
      [0, 1, 0],
    ],
    [
      'points of a skeleton as tracks within its track',
      document(
        '<track id="0" label="person"><points frame="0" points="1,1" keyframe="1"/><track label="head"><points frame="0" points="1,2" keyframe="1" outside="0"/></track></track>',
      ).replace(
        '<points frame="0" points="1,1" keyframe="1"/>',
        '<skeleton frame="0" keyframe="1"/>',
      ),
      [0, 1, 0],
    ],
  ]
  test.each(cases)('%s', async (_, text, counts) => {
    expect((await counted(text)).counts).toEqual(counts)
  })

  test.each([
    ['Windows', 'my task\\annotations.xml', 'my task\\images\\a.jpg'],
    ['macOS', 'task/annotations.xml', '__MACOSX/task/._annotations.xml'],
    ["a name of one's own", '1_export.XML', 'images/a.jpg'],
  ])('an archive of %s', async (_, name, other) => {
    const bytes = await zipOf({ [name]: document(image), [other]: 'x' })
    expect((await counted(bytes)).counts).toEqual([1, 0, 0])
  })

  test('frames of a video that starts later and has a step', async () => {
    const into = framesIn(['frame_000010.PNG', 'frame_000013.PNG'], {
      start_frame: 10,
      step: 3,
      is_video: true,
    })
    expect((await counted(track(shown(10) + shown(13)), into)).counts).toEqual([0, 1, 0])
  })
})

describe('a native import refuses', () => {
  const huge = `<!DOCTYPE a [<!ENTITY x "y">]>\n`
  const cases: [string, string | Record<string, string>, string][] = [
    [
      'a document of VOC',
      '<annotation><folder>x</folder></annotation>',
      'annotations.xml: not a Service file: the root is <annotation>, expected <annotations> at line 1',
    ],
    [
      'a document of VOC beside',
      { 'annotations.xml': document(image), 'x.xml': '<annotation/>' },
      'x.xml: not a Service file: the root is <annotation>',
    ],
    [
      'entities of its own',
      document(image, huge),
      'annotations.xml: a DOCTYPE with definitions is not allowed at line 1',
    ],
    [
      'an entity of HTML',
      document(image.replace('a.jpg', '&nbsp;.jpg')),
      'annotations.xml: undefined entity',
    ],
    [
      'another encoding',
      document(image, '<?xml version="1.0" encoding="windows-1251"?>\n'),
      'annotations.xml: the encoding is windows-1251, expected UTF-8 at line 1',
    ],
    [
      'NaN',
      document(image.replace('"1.00"', '"nan"')),
      'annotations.xml: image a.jpg: xtl: "nan" is no number within',
    ],
    [
      'Infinity',
      document(image.replace('"1.00"', '"inf"')),
      'annotations.xml: image a.jpg: xtl: "inf" is no number within',
    ],
    [
      'a comma for a point',
      document(image.replace('"1.00"', '"1,00"')),
      'annotations.xml: image a.jpg: xtl: "1,00" is no number within',
    ],
    [
      'a box without a side',
      document(image.replace('xtl="1.00"', '')),
      'annotations.xml: image a.jpg: the attribute xtl is missing at line 4',
    ],
    [
      'runs of another size',
      document(
        image.replace(box, '<mask label="car" rle="1, 2" left="0" top="0" width="2" height="2"/>'),
      ),
      'annotations.xml: image a.jpg: rle counts 3 pixels, expected 2 x 2',
    ],
    [
      'a point of a skeleton that is there twice',
      document(
        image.replace(
          box,
          '<skeleton label="person"><points label="head" points="1,2"/><points label="head" points="3,4"/></skeleton>',
        ),
      ),
      "annotations.xml: image a.jpg: the point 'head' is given twice at line 4",
    ],
    [
      'an image of another task',
      document(image.replace('a.jpg', 'other.jpg').replace('id="0"', 'id="7"')),
      '1 annotated item has no matching frame in this task: other.jpg',
    ],
    [
      'a frame of another task',
      track(shown(99)),
      'annotations.xml: track 0: frame 99 is none of the task, which has 0 to 1',
    ],
    [
      'a label of nobody',
      document(image.replace('"car"', '"Car"')),
      "Label 'Car' is not registered for this task",
    ],
    ['a cut document', document(image).slice(0, 150), 'annotations.xml: '],
    ['a file of COCO', '{"images":[]}', 'expected an XML file or a ZIP archive'],
    [
      'an archive of labels',
      { 'labels/a.txt': '0 1 1 1 1' },
      'no XML file in the archive, expected annotations.xml',
    ],
  ]
  test.each(cases)('%s', async (_, content, message) => {
    const bytes = typeof content === 'string' ? content : await zipOf(content)
    await expect(counted(bytes)).rejects.toThrow(message)
    await expect(counted(bytes)).rejects.toMatchObject({ name: 'FormatError' })
  })
})

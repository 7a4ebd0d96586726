import { describe, expect, test } from 'vitest'
import { writeGrey16Png } from '../image/png.ts'
import type { AttributeSpec } from '../model/dataset.ts'
import { expectedValue } from '../model/labels.ts'
import { findImporter } from '../registry.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'
import { attributesText, documentText, objectText } from '../testing/voc.ts'

/** Errors about values that the service would refuse to store name the file, record, attribute, label and value. */

const spec = (id: number, name: string, input_type: string, values: string[] = []) => {
  const own: AttributeSpec = { id, name, input_type, values, mutable: false, default_value: 'x' }
  return own
}
const car = labelOf({
  name: 'car',
  attributes: [
    spec(1, 'color', 'select', ['red', 'blue']),
    spec(2, 'axles', 'number', ['1', '8', '1']),
    spec(3, 'note', 'text'),
    spec(4, 'visibility', 'number', ['0.5', '1', '0.1']),
    spec(5, 'truncated', 'number', ['2', '3', '1']),
  ],
})
const frames = framesOf(['a.png', 'b.png'], 100, 50)

async function refusals(name: string, bytes: Uint8Array | string): Promise<string[]> {
  const format = findImporter(name)
  if (!format) throw new Error(`no importer ${name}`)
  const found: string[] = []
  await importBytes(format, bytes, targetOf([car], frames), {
    onUnlistedValue: ({ message }) => found.push(message),
  })
  return found
}

type Values = Record<string, string | number>

const coco = (attributes: Values) =>
  JSON.stringify({
    images: [{ id: 1, file_name: 'a.png' }],
    categories: [{ id: 1, name: 'car' }],
    annotations: [{ id: 7, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4], attributes }],
  })
const element = (values: Values) =>
  Object.entries(values).map(([name, value]) => `<attribute name="${name}">${value}</attribute>`)
const inImage = (values: Values) =>
  `<annotations><image id="1" name="b.png"><box label="car" xtl="1" ytl="2" xbr="3" ybr="4">${element(values).join('')}</box></image></annotations>`
const inTrack = (values: Values) =>
  `<annotations><track id="3" label="car"><box frame="0" keyframe="1" xtl="1" ytl="2" xbr="3" ybr="4">${element(values).join('')}</box></track></annotations>`
const asTag = (values: Values) =>
  `<annotations><image id="1" name="b.png"><tag label="car">${element(values).join('')}</tag></image></annotations>`
const voc = (values: Values) => {
  const texts = Object.fromEntries(Object.entries(values).map(([name, one]) => [name, String(one)]))
  const more = attributesText(texts)
  return zipOf({ 'Annotations/a.xml': documentText(objectText({ name: 'car', more })) })
}
const labelMe = (values: Values) => {
  const text = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  const corners = '<pt><x>1</x><y>1</y></pt><pt><x>9</x><y>9</y></pt>'
  const object = `<object><name>car</name><type>bounding_box</type><polygon>${corners}</polygon><attributes>${text}</attributes></object>`
  return zipOf({ 'a.xml': `<annotation><filename>a.png</filename>${object}</annotation>` })
}

type Case = [
  format: string,
  fileOf: (values: Values) => string | Promise<Uint8Array>,
  place: string,
]
const cases: Case[] = [
  ['COCO 1.0', coco, 'annotations.json: annotation 7: '],
  ['Service 1.1', inImage, 'annotations.xml: image b.png: '],
  ['Service 1.1', inTrack, 'annotations.xml: track 3: '],
  ['Service 1.1', asTag, 'annotations.xml: image b.png: '],
  ['Pascal VOC 1.1', voc, 'Annotations/a.xml: object 1: '],
  ['LabelMe 3.0', labelMe, 'a.xml: object 1: '],
]

describe.each(cases)('%s', (name, fileOf, place) => {
  test('an error names a value that is not in the list', async () => {
    const [message, ...others] = await refusals(name, await fileOf({ color: 'green' }))
    expect(message).toContain(
      `${place}attribute "color" of label 'car' is "green", expected one of "red", "blue"`,
    )
    expect(others).toEqual([])
  })

  test('an error names a number that is out of range or not a number', async () => {
    const [outside] = await refusals(name, await fileOf({ axles: 9 }))
    expect(outside).toContain(`${place}attribute "axles" of label 'car' is "9", expected a number`)
    const [none] = await refusals(name, await fileOf({ axles: 'many' }))
    expect(none).toContain('is "many", expected a number from 1 to 8')
  })

  test('listed values, the limits of a range and the default are accepted', async () => {
    for (const axles of [1, 8, 'x'])
      expect(await refusals(name, await fileOf({ color: 'red', axles }))).toEqual([])
  })

  test('a text that is too long is refused', async () => {
    const note = 'ü'.repeat(4097)
    const attempt = fileOf({ note })
    await expect(refusals(name, await attempt)).rejects.toThrow(
      `${place}attribute "note" has 4097 characters, at most 4096 are allowed: "üü`,
    )
    expect(await refusals(name, await fileOf({ note: '😀'.repeat(4096) }))).toEqual([])
  })
})

test('MOT and KITTI errors name the values of their columns', async () => {
  const rows = { 'gt/gt.txt': '1,1,1,2,3,4,1,1,0.25\n', 'gt/labels.txt': 'car\n' }
  const [ofRow] = await refusals('MOT 1.1', await zipOf(rows))
  expect(ofRow).toMatch(
    /^gt\/gt\.txt: attribute "visibility" of label 'car' is "0\.25".* at line 1$/,
  )
  const line = 'car 1 0 -1 1 2 30 40 -1 -1 -1 -1 -1 -1 -1\n'
  const [ofLine] = await refusals('KITTI 1.0', await zipOf({ 'label_2/a.txt': line }))
  expect(ofLine).toMatch(
    /^label_2\/a\.txt: attribute "truncated" of label 'car' is "1".* at line 1$/,
  )
})

test('a null character is refused', async () => {
  await expect(refusals('COCO 1.0', coco({ note: 'a\0b' }))).rejects.toThrow(
    'annotation 7: attribute "note" has a null character or an unpaired surrogate',
  )
})

test('an error shows only the first of many allowed values', () => {
  const values = Array.from({ length: 12 }, (_, index) => `v${index}`)
  expect(expectedValue(spec(1, 'a', 'radio', values), 'w')).toMatch(/"v9", \.\.\.$/)
  expect(expectedValue(spec(1, 'a', 'number', []), '1e3')).toBeUndefined()
  expect(expectedValue(spec(1, 'a', 'number', ['5']), '4.9')).toBe('a number from 5')
})

describe('values that no object can have are refused with their place', () => {
  test('a MOT box outside the coordinate range', async () => {
    const rows = { 'gt/gt.txt': '1,-1,9e6,2,9e6,4,1,1,1\n', 'gt/labels.txt': 'car\n' }
    await expect(refusals('MOT 1.1', await zipOf(rows))).rejects.toThrow(
      /^gt\/gt\.txt: the box reaches 18000000, expected coordinates within .* at line 1$/,
    )
  })

  test('a YOLO box outside the coordinate range', async () => {
    const files = { 'obj.names': 'car\n', 'a.txt': '0 0.5 0.5 9e6 0.5\n' }
    await expect(refusals('YOLO 1.1', await zipOf(files))).rejects.toThrow(
      /^a\.txt: the box reaches .* at line 1$/,
    )
  })

  test('a mask with too many runs', async () => {
    const [width, height] = [1000, 500]
    const noise = Uint16Array.from({ length: width * height }, (_, at) => at % 2)
    const files = {
      'labelmap.txt': 'background:0,0,0::\ncar:255,0,0::\n',
      'SegmentationClass/a.png': writeGrey16Png(width, height, noise),
    }
    const format = findImporter('Segmentation mask 1.1')
    if (!format) throw new Error('no importer')
    const target = targetOf([car], framesOf(['a.png'], width, height))
    await expect(
      importBytes(format, await zipOf(files), target, { conv_mask_to_poly: false }),
    ).rejects.toThrow(/^SegmentationClass\/a\.png: the shape has \d+ numbers, at most 200000/)
  })

  test('a skeleton track without points is left out and reported', async () => {
    const part = labelOf({ id: 3, name: 'head', type: 'points' })
    const body = labelOf({ id: 2, name: 'body', type: 'skeleton', sublabels: [part] })
    const text =
      '<annotations><track label="body"><skeleton frame="0" keyframe="1"></skeleton></track></annotations>'
    const format = findImporter('Service 1.1')
    if (!format) throw new Error('no importer')
    const { tracks, report } = await importBytes(format, text, targetOf([body], frames))
    expect(tracks).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'degenerate-shape' }])
  })
})

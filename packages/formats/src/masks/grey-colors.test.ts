import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { writeGrey16Png } from '../image/png.ts'
import { findImporter } from '../registry.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'

/** Grey images of classes: values are indexes of labels, or grey colours of labels when they exceed the indexes. */

const labels = ['cell', 'nucleus'].map((name, at) => labelOf({ id: at + 1, name }))
const map = 'background:0,0,0::\ncell:255,255,255::\nnucleus:128,128,128::\n'

async function imported(files: Record<string, string | Uint8Array>, name: string, known = labels) {
  const format = findImporter(name)
  if (!format) throw new Error(`no importer ${name}`)
  const target = targetOf(known, framesOf(['a.png'], 4, 1))
  const { shapes } = await importBytes(format, await zipOf(files), target, {
    conv_mask_to_poly: false,
  })
  return shapes.map(({ label_id, points }) => [label_id, ...points])
}

const masksOf = (
  picture: Uint8Array,
  text: string | undefined = map,
  name = 'Segmentation mask 1.1',
) => imported({ 'labelmap.txt': text, 'SegmentationClass/a.png': picture }, name)

/** A grey image of four pixels with 1, 2, 4 or 8 bits each. */
function grey(values: number[], depth = 8): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(4)
  header.writeUInt32BE(1, 4)
  header.set([depth, 0], 8)
  const bits = values.map((value) => value.toString(2).padStart(depth, '0')).join('')
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []
  const row = Buffer.from([0, ...bytes.map((byte) => Number.parseInt(byte, 2))])
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(row)),
    chunk('IEND', row.subarray(0, 0)),
  ]
  return Buffer.concat([signature, ...chunks])
}

const first = (label_id: number) => [label_id, 0, 1, 0, 0, 0, 0]

describe.each(['Segmentation mask 1.1', 'Pascal VOC 1.1'])('%s', (name) => {
  test('reads 255 as the label of that colour', async () => {
    expect(await masksOf(grey([255, 0, 0, 0]), map, name)).toEqual([first(1)])
  })

  test('reads several grey colours', async () => {
    expect(await masksOf(grey([255, 128, 0, 0]), map, name)).toEqual([
      first(1),
      [2, 0, 1, 1, 0, 1, 0],
    ])
    expect(await masksOf(grey([128, 0, 0, 0]), map, name)).toEqual([first(2)])
  })

  test('reads indexes where all values are indexes', async () => {
    expect(await masksOf(grey([1, 2, 0, 0]), map, name)).toEqual([first(1), [2, 0, 1, 1, 0, 1, 0]])
  })

  test('keeps 255 as the border when another value is an index without a grey colour', async () => {
    expect(await masksOf(grey([1, 255, 0, 0]), map, name)).toEqual([first(1)])
  })
})

test('values that match both indexes and colours are indexes', async () => {
  expect(
    await masksOf(grey([1, 0, 0, 0]), 'background:0,0,0::\nnucleus:2,2,2::\ncell:1,1,1::\n'),
  ).toEqual([first(2)])
})

test('without a background in the map, a value matches a label by its colour', async () => {
  expect(await masksOf(grey([255, 0, 0, 0]), 'cell:255,255,255::\n')).toEqual([first(1)])
})

test.each([
  ['2 bits', grey([3, 2, 0, 0], 2), 'cell:255,255,255::\nnucleus:170,170,170::\n'],
  ['4 bits', grey([15, 8, 0, 0], 4), 'cell:255,255,255::\nnucleus:136,136,136::\n'],
  ['16 bits, spread', writeGrey16Png(4, 1, Uint16Array.of(65535, 128 * 257, 0, 0)), map],
  ['16 bits, not spread', writeGrey16Png(4, 1, Uint16Array.of(255, 128, 0, 0)), map],
])('grey of %s is matched to the colours of the map', async (_, picture, text) => {
  expect(await masksOf(picture, text)).toEqual([first(1), [2, 0, 1, 1, 0, 1, 0]])
})

test('grey of 1 bit is read by index, and by colour where the index is missing', async () => {
  expect(await masksOf(grey([1, 0, 0, 0], 1))).toEqual([first(1)])
  expect(await masksOf(grey([1, 0, 0, 0], 1), 'cell:255,255,255::\n')).toEqual([first(1)])
})

test('without a map the grey colour of a label of the task counts', async () => {
  const known = [labelOf({ id: 1, name: 'cell', color: '#ffffff' })]
  const files = { 'SegmentationClass/a.png': grey([255, 0, 0, 0]) }
  expect(await imported(files, 'Segmentation mask 1.1', known)).toEqual([first(1)])
})

test.each([
  ['a value that is neither', grey([7, 255, 0, 0]), 'no label has the class 7'],
  ['a value beside colours', grey([255, 9, 0, 0]), 'no label has the class 9'],
])('%s is refused', async (_, picture, message) => {
  await expect(masksOf(picture)).rejects.toThrow(message)
})

test('an image of 0 and 255 is refused when no label has the colour of 255', async () => {
  const text = 'background:0,0,0::\ncell:255,0,0::\n'
  await expect(masksOf(grey([255, 0, 0, 0]), text)).rejects.toThrow('the border of objects')
})

test.each(['semantic', 'semantic_rgb'])('KITTI reads grey colours of %s', async (folder) => {
  const colors = { 'label_colors.txt': '0 0 0 background\n255 255 255 cell\n128 128 128 nucleus\n' }
  const read = (values: number[]) =>
    imported({ ...colors, [`${folder}/a.png`]: grey(values) }, 'KITTI 1.0')
  expect(await read([255, 128, 0, 0])).toEqual([first(1), [2, 0, 1, 1, 0, 1, 0]])
  expect(await read([2, 0, 0, 0])).toEqual([first(2)])
})

import { expect, test } from 'vitest'
import { coco } from './formats/coco.ts'
import type { Format } from './model/dataset.ts'
import { findExporter, findImporter, formats, listFormats, listLosses } from './registry.ts'

const named = (name: string, aliases: string[] = []): Format => ({ ...coco, name, aliases })

test('a name is matched exactly, then without case, then as an alias', () => {
  const known = [named('Pascal 1.1', ['VOC', 'pascal 1.0']), named('PASCAL 1.1'), named('Voc')]
  expect(findExporter('PASCAL 1.1', known)?.name).toBe('PASCAL 1.1')
  expect(findExporter('pascal 1.1', known)?.name).toBe('Pascal 1.1')
  expect(findExporter('VOC', known)?.name).toBe('Voc')
  expect(findImporter('Pascal 1.0', known)?.name).toBe('Pascal 1.1')
  expect(findImporter('nothing', known)).toBeUndefined()
})

test('a name of the other direction is unknown', () => {
  const { importer: _, ...outOnly } = named('Out 1.0')
  expect(findExporter('Out 1.0', [outOnly])?.name).toBe('Out 1.0')
  expect(findImporter('Out 1.0', [outOnly])).toBeUndefined()
})

test('the lists are sorted and contain the capabilities of each format', () => {
  const known = [named('b'), named('a')]
  expect(listFormats(known).importers.map(({ name }) => name)).toEqual(['a', 'b'])
  const rest = { version: '1.0', enabled: true, dimension: '2d', tracks: true, attributes: true }
  expect(listFormats([coco])).toEqual({
    importers: [
      {
        name: 'COCO 1.0',
        ext: 'JSON, ZIP',
        kinds: ['rectangle', 'polygon', 'mask'],
        options: [{ name: 'conv_mask_to_poly', type: 'boolean', default: false }],
        ...rest,
      },
    ],
    exporters: [
      {
        name: 'COCO 1.0',
        ext: 'ZIP',
        kinds: ['rectangle', 'polygon', 'ellipse', 'mask'],
        options: [],
        ...rest,
      },
    ],
  })
})

test('the losses of an export are listed for each kind', () => {
  const { importer: _, ...outOnly } = named('a')
  const { exporter: __, ...inOnly } = named('in')
  const { formats: rows } = listLosses([named('b'), outOnly, inOnly])
  expect(rows.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(rows[0]?.kinds).toEqual({
    rectangle: 'kept',
    polygon: 'kept',
    mask: 'kept',
    ellipse: 'converted',
    polyline: 'dropped',
    points: 'dropped',
    cuboid: 'dropped',
    skeleton: 'dropped',
    tag: 'dropped',
  })
})

test('names and aliases of formats are unique without case', () => {
  const names = formats.flatMap(({ name, aliases }) => [name, ...aliases])
  const lower = names.map((name) => name.toLowerCase())
  expect(lower).toEqual([...new Set(lower)])
})

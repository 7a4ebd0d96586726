import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bitmapToColumns,
  bitmapToCrop,
  columnsArea,
  columnsBox,
  columnsToCrop,
  cropArea,
  cropToBitmap,
  cropToColumns,
  decodeRuns,
  encodeRuns,
  unionOfColumns,
} from './run-lengths.ts'

const vectorsFile = new URL(
  '../../../../shared/fixtures/formats/coco/rle_vectors.json',
  import.meta.url,
)

interface Vector {
  size: [height: number, width: number]
  counts_compressed: string
  n_runs: number
  first_runs: number[]
  area: number
  bbox_xywh: number[]
}

test('a crop is read row by row inside its inclusive box', () => {
  const { left, top, width, height, bits } = cropToBitmap([1, 2, 1, 4, 1, 2, 1, 10, 20, 13, 22])
  expect([left, top, width, height]).toEqual([10, 20, 4, 3])
  expect([...bits].join('')).toBe('011011110110')
})

test('a full box starts with an empty background run', () => {
  const bits = new Uint8Array(4).fill(1)
  expect(bitmapToCrop({ left: 0, top: 0, width: 2, height: 2, bits })).toEqual([0, 4, 0, 0, 1, 1])
})

test('a bitmap without a set pixel has no crop', () => {
  const bits = new Uint8Array(4)
  expect(bitmapToCrop({ left: 0, top: 0, width: 2, height: 2, bits })).toBeUndefined()
})

test('column runs follow the columns of the whole image', () => {
  expect(cropToColumns([0, 2, 0, 0, 1, 0], 5, 10)).toEqual([0, 1, 9, 1, 39])
  expect(columnsToCrop([0, 20, 30], 5, 10)).toEqual([0, 20, 0, 0, 1, 9])
})

test('runs that reach the bottom continue at the top of the next column', () => {
  expect(cropToColumns([0, 6, 1, 0, 2, 2], 4, 3)).toEqual([3, 6, 3])
})

test('the column runs of a crop equal those of its bitmap at any position', () => {
  const anySize = fc.integer({ min: 1, max: 9 })
  const anyPlace = fc.integer({ min: -10, max: 10 })
  const anyCase = fc.tuple(anySize, anySize, anyPlace, anyPlace, fc.infiniteStream(fc.nat(1)))
  fc.assert(
    fc.property(anyCase, anySize, anySize, ([w, h, left, top, values], width, height) => {
      const bits = Uint8Array.from({ length: w * h }, () => values.next().value ?? 0)
      const crop = bitmapToCrop({ left, top, width: w, height: h, bits })
      if (!crop) return
      const columns = bitmapToColumns(cropToBitmap(crop), width, height)
      expect(cropToColumns(crop, width, height)).toEqual(columns)
    }),
    { numRuns: 1000 },
  )
})

test('pixels outside the image are cut off', () => {
  expect(cropToColumns([0, 9, 1, 1, 3, 3], 3, 2)).toEqual([3, 1, 1, 1])
  expect(cropToColumns([0, 9, -1, -2, 1, 0], 3, 2)).toEqual([0, 1, 1, 1, 3])
  expect(cropToColumns([0, 25, -1, -1, 3, 3], 3, 2)).toEqual([0, 6])
  expect(cropToColumns([0, 4, -9, -9, -8, -8], 3, 2)).toEqual([6])
})

test('short column runs are padded, long ones are rejected', () => {
  expect(columnsToCrop([2, 1], 3, 3)).toEqual([0, 1, 0, 2, 0, 2])
  expect(() => columnsToCrop([5, 5], 3, 3)).toThrow('runs sum to 10, the image has 3 x 3 pixels')
})

test('any bitmap survives conversion to crop, column runs and compressed text', () => {
  const size = fc.integer({ min: 1, max: 9 })
  const at = fc.nat(4)
  const pixels = fc.uint8Array({ minLength: 81, maxLength: 81, max: 1 })
  fc.assert(
    fc.property(size, size, at, at, pixels, (width, height, left, top, stream) => {
      const bits = stream.slice(0, width * height)
      const crop = bitmapToCrop({ left, top, width, height, bits })
      const area = bits.reduce((sum, bit) => sum + bit, 0)
      expect(crop === undefined).toBe(area === 0)
      if (!crop) return

      const [imageWidth, imageHeight] = [width + left + 1, height + top]
      const columns = cropToColumns(crop, imageWidth, imageHeight)
      expect(bitmapToColumns({ left, top, width, height, bits }, imageWidth, imageHeight)).toEqual(
        columns,
      )
      expect(columns.reduce((sum, run) => sum + run, 0)).toBe(imageWidth * imageHeight)
      expect(decodeRuns(encodeRuns(columns))).toEqual(columns)
      expect(columnsToCrop(columns, imageWidth, imageHeight)).toEqual(crop)
      expect([cropArea(crop), columnsArea(columns)]).toEqual([area, area])
      const [l = 0, t = 0, r = 0, b = 0] = crop.slice(-4)
      expect(columnsBox(columns, imageHeight)).toEqual([l, t, r - l + 1, b - t + 1])
    }),
  )
})

test('a union contains the pixels of all masks', () => {
  expect(unionOfColumns([[2, 3, 5], [4, 2, 4], [6, 1, 3], [10]], 10)).toEqual([2, 5, 3])
  expect(
    unionOfColumns(
      [
        [0, 1, 9],
        [9, 1],
      ],
      10,
    ),
  ).toEqual([0, 1, 8, 1])
})

test('an invalid text of run lengths is rejected', () => {
  expect(() => decodeRuns('0 2')).toThrow('wrong character at 1')
  expect(() => decodeRuns('P')).toThrow('end inside a number')
})

describe.skipIf(!existsSync(vectorsFile))(
  'the vectors of the COCO tools in ../shared/fixtures',
  () => {
    const vectors: Vector[] = existsSync(vectorsFile)
      ? JSON.parse(readFileSync(vectorsFile, 'utf8')).vectors
      : []

    test.each(vectors.map((vector, index) => [index, vector] as const))(
      'number %i',
      (_, vector) => {
        const [height, width] = vector.size
        const runs = decodeRuns(vector.counts_compressed)
        expect(runs).toHaveLength(vector.n_runs)
        expect(runs.slice(0, vector.first_runs.length)).toEqual(vector.first_runs)
        expect(encodeRuns(runs)).toBe(vector.counts_compressed)
        expect(columnsArea(runs)).toBe(vector.area)
        expect(columnsBox(runs, height)).toEqual(vector.bbox_xywh)
        expect(cropToColumns(columnsToCrop(runs, width, height) ?? [], width, height)).toEqual(runs)
      },
    )
  },
)

import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxCorners, boxToColumns } from './box.ts'
import { ellipseToColumns } from './ellipse.ts'
import { maskToPolygons } from './mask-to-polygon.ts'
import { boxOfPoints, polygonArea, polygonsToColumns, polygonToColumns } from './polygon.ts'
import {
  bitmapToCrop,
  columnsArea,
  columnsBox,
  columnsToCrop,
  cropToBitmap,
  cropToColumns,
  encodeRuns,
} from './run-lengths.ts'

const vectorsFile = new URL(
  '../../../../shared/fixtures/formats/coco/polygon_raster_vectors.json',
  import.meta.url,
)

interface Vector {
  polygon: number[]
  size: [height: number, width: number]
  counts: number[]
  counts_compressed: string
  area: number
  bbox_xywh: number[] | null
}

test('a box with whole-pixel corners covers exactly its pixels', () => {
  expect(polygonToColumns([0, 0, 1, 0, 1, 2, 0, 2], 5, 10)).toEqual([0, 2, 48])
})

test('a ring outside the image sets no pixel', () => {
  expect(polygonToColumns([20, 20, 30, 20, 30, 30], 10, 10)).toEqual([100])
  expect(polygonToColumns([-20, 2, -10, 2, -10, 8], 10, 10)).toEqual([100])
})

test('a distant vertex costs no more than the width of the image', () => {
  const far = 10_000_000
  const runs = polygonToColumns([-far, -far, far, -far, far, far, -far, far], 10, 10)
  expect(runs).toEqual([0, 100])
})

test('a ring uses the even-odd rule, and several rings are united', () => {
  const ring = [0, 0, 4, 0, 4, 4, 0, 4]
  expect(polygonToColumns([...ring, ...ring], 4, 4)).toEqual([16])
  expect(polygonsToColumns([ring, [2, 0, 6, 0, 6, 4, 2, 4]], 8, 4)).toEqual([0, 24, 8])
  expect(polygonsToColumns([], 2, 2)).toEqual([4])
})

test('the area of any ring equals that of its runs, which sum to the image', () => {
  const ring = fc.array(fc.double({ min: -15, max: 35, noNaN: true }), {
    minLength: 6,
    maxLength: 40,
  })
  fc.assert(
    fc.property(ring, (points) => {
      const even = points.slice(0, points.length - (points.length % 2))
      const runs = polygonToColumns(even, 20, 17)
      expect(polygonArea(even, 20, 17)).toBe(columnsArea(runs))
      expect(runs.reduce((sum, run) => sum + run, 0)).toBe(20 * 17)
      expect(runs.slice(1).every((run) => run > 0)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('a ring of very many edges is processed in strips with the same result', () => {
  const zigzag = Array.from({ length: 60_000 }, (_, index) => [
    index % 2 === 0 ? 2 : 38,
    3 + (index % 2),
  ])
  const ring = [...zigzag.flat(), 38, 20, 2, 20]
  const once = [...zigzag.slice(-2).flat(), 38, 20, 2, 20]
  expect(polygonToColumns(ring, 40, 30)).toEqual(polygonToColumns(once, 40, 30))
})

test('the box of points contains them all', () => {
  expect(boxOfPoints([3, 4, -1, 7, 2, 2])).toEqual([-1, 2, 4, 5])
})

test('a box rotates clockwise about its centre', () => {
  expect(boxCorners([0, 0, 4, 2], 90)).toEqual([3, -1, 3, 3, 1, 3, 1, -1])
  expect(columnsBox(boxToColumns([10, 10, 14, 12], 90, 30, 30), 30)).toEqual([11, 9, 2, 4])
})

test('an ellipse has the area and the box of its radii', () => {
  const runs = ellipseToColumns([50, 40, 30, 20], 0, 100, 100)
  expect(columnsArea(runs) / (Math.PI * 30 * 20)).toBeCloseTo(1, 1)
  expect(columnsBox(runs, 100)).toEqual([20, 20, 61, 41])
  expect(columnsBox(ellipseToColumns([50, 40, 30, 20], 90, 100, 100), 100)).toEqual([
    30, 10, 41, 61,
  ])
})

test('an ellipse with a radius of 0 is a line, and one outside the image is empty', () => {
  expect(columnsArea(ellipseToColumns([5, 5, 3, 0], 0, 20, 20))).toBe(7)
  expect(columnsArea(ellipseToColumns([-50, 5, 3, 3], 0, 20, 20))).toBe(0)
})

test('converting a mask to polygons and back gives the same mask', () => {
  const side = fc.integer({ min: 1, max: 9 })
  const pixels = fc.uint8Array({ minLength: 81, maxLength: 81, max: 1 })
  fc.assert(
    fc.property(side, side, pixels, (width, height, stream) => {
      const bits = stream.slice(0, width * height)
      const crop = bitmapToCrop({ left: 2, top: 1, width, height, bits })
      if (!crop) return
      const rings = maskToPolygons(crop)
      expect(columnsToCrop(polygonsToColumns(rings, 12, 12), 12, 12)).toEqual(crop)
    }),
    { numRuns: 500 },
  )
})

test('every vertex is a turn, and each group of touching pixels has one ring', () => {
  const pixels = fc.uint8Array({ minLength: 63, maxLength: 63, max: 1 })
  fc.assert(
    fc.property(pixels, (bits) => {
      const crop = bitmapToCrop({ left: 0, top: 0, width: 9, height: 7, bits })
      if (!crop) return
      const rings = maskToPolygons(crop)
      expect(rings).toHaveLength(groupsOf(crop))
      for (const ring of rings) expect(straightAt(ring)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('empty runs between others change nothing', () => {
  const whole = maskToPolygons([1, 4, 1, 3, 4, 4, 6, 6])
  expect(maskToPolygons([1, 2, 0, 2, 1, 1, 0, 0, 0, 2, 4, 4, 6, 6])).toEqual(whole)
  expect(maskToPolygons([9, 0, 0, 2, 2])).toEqual([])
})

/** Counts groups of pixels that touch by side or corner, by flood filling. */
function groupsOf(crop: readonly number[]): number {
  const { width, bits } = cropToBitmap(crop)
  const spread = (at: number): void => {
    bits[at] = 0
    for (const row of [-1, 0, 1])
      for (const column of [-1, 0, 1]) {
        const x = (at % width) + column
        const to = at + row * width + column
        if (x >= 0 && x < width && bits[to] === 1) spread(to)
      }
  }
  let groups = 0
  for (let at = bits.indexOf(1); at >= 0; at = bits.indexOf(1)) {
    groups += 1
    spread(at)
  }
  return groups
}

/** Returns the vertices of a ring without a right-angle turn. */
function straightAt(ring: readonly number[]): number[] {
  const steps = ring.map((value, at) => (ring[(at + 2) % ring.length] ?? 0) - value)
  return ring.flatMap((_, at) => {
    const isUpright = steps[at] === 0
    const turns = isUpright !== (steps[(at + 2) % steps.length] === 0)
    return at % 2 === 0 && !turns ? [at] : []
  })
}

test('pixels that touch at a corner form one polygon, and a hole is connected to its ring', () => {
  expect(maskToPolygons([0, 1, 2, 1, 0, 0, 1, 1])).toHaveLength(1)
  expect(maskToPolygons([0, 1, 1, 1, 0, 0, 2, 0])).toHaveLength(2)
  const [ring = []] = maskToPolygons([0, 4, 1, 4, 0, 0, 2, 2])
  expect(ring).toHaveLength(20)
  expect(columnsArea(polygonToColumns(ring, 5, 5))).toBe(8)
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
        const runs = polygonToColumns(vector.polygon, width, height)
        expect(runs).toEqual(vector.counts)
        expect(encodeRuns(runs)).toBe(vector.counts_compressed)
        expect(columnsArea(runs)).toBe(vector.area)
        expect(columnsBox(runs, height) ?? null).toEqual(vector.bbox_xywh)
        const crop = columnsToCrop(runs, width, height)
        if (crop) expect(cropToColumns(crop, width, height)).toEqual(runs)
      },
    )
  },
)

import { crc32, deflateSync } from 'node:zlib'

/** Draws images and a COCO file that describes them: coloured boxes and triangles on a pale background. */

/** @typedef {(below: number) => number} Random */
/** @typedef {[x: number, y: number, width: number, height: number]} Bounds */
/** @typedef {(x: number, y: number) => boolean} Contains */
/** @typedef {{category: number, bounds: Bounds, ring?: number[], has: Contains}} DrawnShape */
/** @typedef {{name: string, bytes: Buffer<ArrayBuffer>}} DrawnImage */

const width = 320
const height = 240
const categories = [
  { id: 1, name: 'box', color: '#c0392b' },
  { id: 2, name: 'triangle', color: '#2471a3' },
]

/**
 * Returns the same numbers on every run (a linear congruential generator, Numerical Recipes).
 * @param {number} seed
 * @returns {Random}
 */
function numbers(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

/** @param {number} count */
export function drawDataset(count) {
  const next = numbers(7)
  /** @type {DrawnImage[]} */
  const images = []
  const annotations = []
  for (let index = 0; index < count; index++) {
    const shapes = Array.from({ length: 1 + next(4) }, () =>
      next(2) === 0 ? box(next) : triangle(next),
    )
    const name = `picture-${String(index + 1).padStart(3, '0')}.png`
    images.push({ name, bytes: picture(shapes) })
    for (const shape of shapes)
      annotations.push(annotation(annotations.length + 1, index + 1, shape))
  }
  return {
    images,
    coco: cocoFile(images, annotations),
    labels: categories.map(({ name, color }) => ({ name, color })),
  }
}

/** @type {(next: Random) => DrawnShape} */
const box = (next) => {
  const [x, y] = [next(width - 80), next(height - 80)]
  const [w, h] = [20 + next(60), 20 + next(60)]
  return {
    category: 1,
    bounds: [x, y, w, h],
    has: (px, py) => px >= x && px < x + w && py >= y && py < y + h,
  }
}

/** @type {(next: Random) => DrawnShape} */
const triangle = (next) => {
  const [x, y] = [next(width - 80), next(height - 80)]
  const size = 30 + next(50)
  const ring = [x, y + size, x + size, y + size, x, y]
  /** @type {Contains} */
  const has = (px, py) => px >= x && py < y + size && px - x <= py - y
  return { category: 2, bounds: [x, y, size, size], ring, has }
}

/**
 * @param {number} id
 * @param {number} image_id
 * @param {DrawnShape} shape
 */
function annotation(id, image_id, { category, bounds, ring }) {
  const segmentation = ring ? [ring] : []
  const area = bounds[2] * bounds[3] * (ring ? 0.5 : 1)
  return { id, image_id, category_id: category, bbox: bounds, segmentation, area, iscrowd: 0 }
}

/**
 * @param {readonly DrawnImage[]} images
 * @param {readonly object[]} annotations
 */
function cocoFile(images, annotations) {
  return JSON.stringify({
    images: images.map(({ name }, index) => ({ id: index + 1, file_name: name, width, height })),
    annotations,
    categories: categories.map(({ id, name }) => ({ id, name, supercategory: '' })),
  })
}

const ground = [244, 241, 234]
/** @type {(hex: string) => number[]} */
const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
const paint = new Map(categories.map(({ id, color }) => [id, rgb(color)]))

/**
 * Writes a PNG of 8-bit colour with unfiltered rows (PNG specification, third edition, 5 and 11).
 * @param {readonly DrawnShape[]} shapes
 */
function picture(shapes) {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const top = shapes.findLast((shape) => shape.has(x, y))
      rows.set(paint.get(top?.category ?? 0) ?? ground, y * (1 + width * 3) + 1 + x * 3)
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

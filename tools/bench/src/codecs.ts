import { open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type RandomAccess, sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import { coco } from '@reticle/formats/formats/coco'
import { writePalettePng } from '@reticle/formats/image/png'
import type { ImportTarget } from '@reticle/formats/model/dataset'
import { createReport } from '@reticle/formats/report/conversion-report'
import sharp from 'sharp'
import { cocoPieces } from './coco-document.ts'
import { measureInterleaved } from './measure.ts'
import { frameCount, shapeCount } from './shapes.ts'
import { type BenchFigure, ratioFigure, shareFigure } from './table.ts'
import { pictureName } from './task.ts'

const rounds = 7

/** Measures P11, P15 and P16: the building blocks of formats, each against a minimal implementation. */
export async function codecFigures(): Promise<BenchFigure[]> {
  return [await cocoFigure(), ...(await zipFigures()), await pngFigure()]
}

/** Measures reading, validating and converting a document, against parsing it as one object. */
async function cocoFigure(): Promise<BenchFigure> {
  const file = join(tmpdir(), `reticle-bench-${process.pid}.json`)
  await writeFile(file, cocoPieces({ count: shapeCount, frames: frameCount }))
  const target = cocoTarget()
  try {
    const times = await measureInterleaved(
      rounds,
      async () => JSON.parse(await readFile(file, 'utf8')),
      () => readCoco(file, target),
    )
    const what = 'COCO of 100,000 annotations read into shapes: share of the speed of JSON.parse'
    return shareFigure('P11', what, times, 0.6)
  } finally {
    await rm(file)
  }
}

function cocoTarget(): ImportTarget {
  const frames = Array.from({ length: frameCount }, (_, frame) => ({
    ...{ frame, path: pictureName(frame), width: 1920, height: 1080 },
  }))
  const whole = { start_frame: 0, step: 1, is_video: false, includes: () => true }
  const car = { id: 1, name: 'car', type: 'any', attributes: [], sublabels: [] }
  return { labels: [car], frames: { frames, ...whole } }
}

async function readCoco(file: string, target: ImportTarget): Promise<void> {
  const handle = await open(file)
  const { size } = await handle.stat()
  const source: RandomAccess = {
    size,
    async read(start, end) {
      const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
      return buffer
    },
  }
  const { signal } = new AbortController()
  const run = { report: createReport(), signal, progress: () => undefined }
  const objects = coco.importer?.importAnnotations(source, target, run) ?? []
  for await (const _ of objects);
  await handle.close()
}

const memberCount = 10_000

async function zipFigures(): Promise<BenchFigure[]> {
  const line = (at: number) => `${at % 80} 0.${at}01 0.5${at} 0.0${at} 0.1${at}\n`
  const contents = Array.from({ length: memberCount }, (_, member) =>
    Buffer.from(Array.from({ length: 25 }, (_, at) => line(member + at)).join('')),
  )
  const members = contents.map((content, index) => ({ path: `labels/${index}.txt`, content }))
  const packed = contents.map((content) => deflateRawSync(content, { level: 1 }))
  const archive = await zipped(members)
  const writing = await measureInterleaved(
    rounds,
    async () => contents.map((content) => deflateRawSync(content, { level: 1 })),
    () => zipped(members),
  )
  const reading = await measureInterleaved(
    rounds,
    async () => packed.map((bytes) => inflateRawSync(bytes)),
    async () => {
      const zip = await openZip(sourceOf(archive))
      for (const entry of zip.files.values()) await zip.bytes(entry)
    },
  )
  return [
    ratioFigure('P15', '10,000 small files into a ZIP / bare deflate', writing, 1.4),
    ratioFigure('P15', '10,000 small files out of a ZIP / bare inflate', reading, 1.8),
  ]
}

async function zipped(members: Parameters<typeof writeZip>[0]): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of writeZip(members, new Date(0))) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function pngFigure(): Promise<BenchFigure> {
  const [width, height] = [1920, 1080]
  const classes = new Uint8Array(width * height)
  for (let at = 0; at < 20; at += 1) {
    const [left, top] = [at * 80, (at * 97) % 700]
    for (let y = top; y < top + 300; y += 1)
      classes.fill(at + 1, y * width + left, y * width + left + 200 + ((y * 7) % 50))
  }
  const palette = Array.from({ length: 21 }, (_, index) => ({ color: index * 997 }))
  const raw = { width, height, channels: 1 } as const
  const images = 20
  const times = await measureInterleaved(
    rounds,
    async () => {
      for (let image = 0; image < images; image += 1)
        await sharp(classes, { raw }).png({ compressionLevel: 1 }).toBuffer()
    },
    async () => {
      for (let image = 0; image < images; image += 1)
        writePalettePng(width, height, classes, palette)
    },
  )
  const what = '20 class masks of 1080 lines as palette PNGs: rate / that of sharp, grey, level 1'
  return shareFigure('P16', what, times, 1.5)
}

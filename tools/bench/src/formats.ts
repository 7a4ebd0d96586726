import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { cocoPieces } from './coco-document.ts'
import { watchProcesses } from './family.ts'
import type { Limit } from './limit.ts'
import { measureInterleaved, measureMs } from './measure.ts'
import type { Restartable } from './server.ts'
import { annotationPieces, boxPieces, frameCount } from './shapes.ts'
import { type BenchFigure, ratioFigure } from './table.ts'
import { callerOf, downloadFile, makeTask, sendShapes, waitForEnd } from './task.ts'

const mostMiB = 150
const mostTimes = 10.5
const sizes = [100_000, 1_000_000] as const
const boxesOfFrame = 100

/**
 * Measures P14 and every format: exports and imports of 1,000,000 boxes, against 100,000 and against the database
 * alone. Takes half an hour.
 */
export async function* formatFigures(
  server: Restartable,
  limit: Limit,
): AsyncGenerator<BenchFigure> {
  const folder = await mkdtemp(join(tmpdir(), 'reticle-bench-'))
  try {
    yield* documentFigures(server, folder, large)
    yield* documentFigures(server, folder, train)
    yield* everyFormat(server, limit, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const query = (format: string) => `format=${encodeURIComponent(format)}`

/** Measures P12 and P13. */
export async function cocoFigures(server: Restartable, limit: Limit): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'reticle-bench-'))
  try {
    return await movedBothWays(server, limit, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function movedBothWays(
  server: Restartable,
  limit: Limit,
  folder: string,
): Promise<BenchFigure[]> {
  const call = callerOf(server)
  const task = await makeTask(server, frameCount)
  const at = `/tasks/${task.id}`
  await sendShapes(server, `${at}/annotations/`, annotationPieces({ ...task, side: 200 }))
  // Changes one box, because an unchanged export would return the existing file.
  const [box] = [...boxPieces({ labelId: task.labelId, count: 1, frames: 1 })].slice(1)
  const touch = () => call('PATCH', `${at}/annotations/?action=create`, `{"shapes":[${box}]}`)
  const exportIt = async () =>
    waitForEnd(call, await call('POST', `${at}/dataset/export?${query('COCO 1.0')}`))
  const exporting = await measureInterleaved(5, () => limit.read(task.id), exportIt, touch)

  const file = join(folder, 'coco.zip')
  await downloadFile(server, String((await exportIt()).result_url), file)
  const rows = join(folder, 'rows.csv')
  const importing = await measureInterleaved(
    5,
    () => limit.write(task.id, rows),
    () => importIt(server, at, 'COCO 1.0', file),
    () => limit.save(task.id, rows),
  )
  const of = (what: string) => `${what} of 100,000 shapes, request to end / ${limit.name}`
  return [
    ratioFigure('P12', `${of('COCO import')} delete and copy`, importing, 2),
    ratioFigure('P13', `${of('COCO export')} ordered copy`, exporting, 4.5),
  ]
}

interface Size {
  count: number
  frames: number
}

/** Longer than the longest string of JavaScript. */
const large: Size = { count: 2_000_000, frames: frameCount }

/** The size of COCO train2017. */
const train: Size = { count: 860_001, frames: 118_287 }

/** Imports one document, and exports it again. */
async function* documentFigures(
  server: Restartable,
  folder: string,
  { count, frames }: Size,
): AsyncGenerator<BenchFigure> {
  const file = join(folder, 'document.json')
  await pipeline(Readable.from(cocoPieces({ count, frames })), createWriteStream(file))
  const { size } = await openAsBlob(file)
  const { id } = await makeTask(server, frames)
  const at = `/tasks/${id}`
  const call = callerOf(server)
  const ways = [
    ['import of one JSON document', () => importIt(server, at, 'COCO 1.0', file)],
    [
      'export',
      async () => waitForEnd(call, await call('POST', `${at}/dataset/export?${query('COCO 1.0')}`)),
    ],
  ] as const
  for (const [done, move] of ways) {
    const { growths, ms } = await watchProcesses(server.pid(), async () => void (await move()))
    const [annotations, images] = [count, frames].map((one) => one.toLocaleString('en'))
    const mib = (size / 1024 ** 2).toFixed(0)
    const most = growths[0] ?? Number.NaN
    yield {
      id: 'P14',
      what: `COCO ${done}, ${annotations} annotations on ${images} images, ${mib} MiB: growth of the process that grows most`,
      seen: `${most.toFixed(0)} MiB (in ${(ms / 1000).toFixed(0)} s)`,
      target: `<= ${mostMiB} MiB`,
      holds: most <= mostMiB,
    }
  }
}

const named = z.object({ name: z.string() })
const lists = z.object({ importers: z.array(named), exporters: z.array(named) })

interface Moved {
  ms: number
  mib: number
  limitMs: number
}

async function* everyFormat(
  server: Restartable,
  limit: Limit,
  folder: string,
): AsyncGenerator<BenchFigure> {
  const { importers, exporters } = lists.parse(
    await callerOf(server)('GET', '/server/annotation/formats'),
  )
  const readable = new Set(importers.map(({ name }) => name))
  const small = await setOf(server, limit, sizes[0], folder)
  const large = await setOf(server, limit, sizes[1], folder)
  for (const { name } of exporters) {
    const exported: Pair = [await small.exported(name), await large.exported(name)]
    const isReadable = readable.has(name)
    const imported: Pair | undefined = isReadable
      ? [await small.imported(name), await large.imported(name)]
      : undefined
    yield formatFigure(name, exported, imported)
  }
}

/** Creates a task with boxes; measures the time of the database alone for their rows. */
async function setOf(server: Restartable, limit: Limit, count: number, folder: string) {
  const call = callerOf(server)
  const frames = count / boxesOfFrame
  const task = await makeTask(server, frames, { width: 320, height: 240 })
  const at = `/tasks/${task.id}`
  const fill = () =>
    sendShapes(server, `${at}/annotations/`, boxPieces({ labelId: task.labelId, count, frames }))
  await fill()
  const rows = join(folder, 'rows.csv')
  const readMs = await measureMs(() => limit.read(task.id))
  await limit.save(task.id, rows)
  const writeMs = await measureMs(() => limit.write(task.id, rows))
  const file = join(folder, `${count}.zip`)
  return {
    async exported(format: string): Promise<Moved> {
      await fill()
      const { result, ms, growths } = await watchProcesses(server.pid(), async () =>
        waitForEnd(call, await call('POST', `${at}/dataset/export?${query(format)}`)),
      )
      await downloadFile(server, String(result.result_url), file)
      return { ms, mib: growths[0] ?? Number.NaN, limitMs: readMs }
    },
    async imported(format: string): Promise<Moved> {
      const { ms, growths } = await watchProcesses(server.pid(), () =>
        importIt(server, at, format, file),
      )
      return { ms, mib: growths[0] ?? Number.NaN, limitMs: writeMs }
    },
  }
}

/** Measurements of the smaller and of the larger set. */
type Pair = readonly [few: Moved, many: Moved]

function formatFigure(name: string, exported: Pair, imported: Pair | undefined): BenchFigure {
  const cells = [cellsOfPair(exported), imported ? cellsOfPair(imported) : ['', '', '', '']]
  const texts = cells.map(([seconds, times, , mib]) => `${times} (${seconds} s), ${mib} MiB`)
  return {
    id: 'formats',
    what: name,
    seen: `out and in: ${texts.join('; ')}`,
    target: `<= ${mostTimes}, <= ${mostMiB} MiB`,
    holds: [exported, imported].every((pair) => !pair || isWithin(pair)),
    moved: cells.flat(),
  }
}

const timesOf = ([few, many]: Pair) => many.ms / few.ms

const isWithin = (pair: Pair) => timesOf(pair) <= mostTimes && pair[1].mib <= mostMiB

function cellsOfPair(pair: Pair): string[] {
  const [few, many] = pair
  const seconds = [few.ms, many.ms].map((ms) => (ms / 1000).toFixed(1)).join(' / ')
  const ofLimit = (many.ms / many.limitMs).toFixed(2)
  return [seconds, timesOf(pair).toFixed(2), ofLimit, many.mib.toFixed(0)]
}

async function importIt(server: Restartable, at: string, format: string, file: string) {
  const call = callerOf(server)
  const form = new FormData()
  form.append(
    'annotation_file',
    await openAsBlob(file),
    file.endsWith('.json') ? 'a.json' : 'a.zip',
  )
  await waitForEnd(call, await call('POST', `${at}/annotations/?${query(format)}`, form))
}

import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Limit } from './limit.ts'
import { measureGrowth, measureInterleaved, measureMs, median } from './measure.ts'
import type { Server } from './server.ts'
import { annotationBody, annotationPieces, frameCount } from './shapes.ts'
import { type BenchFigure, boundFigure, ratioFigure } from './table.ts'
import { makeTask } from './task.ts'

const rounds = 5
/** Reads are short, and short times vary more. */
const readRounds = 15

/** Highest allowed ratios of a mode. */
export interface Mode {
  read: { id: string; most: number }
  write: { id: string; most: number }
}

/** Measures P1 to P5: reading and replacing 100,000 shapes, and 1,000,000, in either mode. */
export async function annotationFigures(
  server: Server,
  limit: Limit,
  mode: Mode,
): Promise<BenchFigure[]> {
  const task = await makeTask(server, frameCount)
  const url = `${server.api}/tasks/${task.id}/annotations/`
  const headers = { authorization: server.authorization, 'accept-encoding': 'identity' }
  const body = annotationBody({ labelId: task.labelId })

  const get = () => readAll(url, headers)
  const put = async () => {
    const sent = { ...headers, 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'PUT', headers: sent, body })
    if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
    return answer
  }
  // The answer starts after the commit; it is read outside of the measured time.
  const commit = async () => {
    const answer = await put()
    pending.push(drain(answer))
  }
  const pending: Promise<void>[] = []

  await drain(await put())
  const file = join(tmpdir(), `reticle-bench-${process.pid}.csv`)
  const write = await measureInterleaved(
    rounds,
    () => limit.write(task.id, file),
    commit,
    async () => {
      await Promise.all(pending.splice(0))
      await limit.save(task.id, file)
    },
  )
  await Promise.all(pending.splice(0))
  const writing = await measureGrowth(server.memory, async () => drain(await put()))
  for (let warm = 0; warm < 5; warm++) await get()
  const read = await measureInterleaved(readRounds, () => limit.read(task.id), get)
  rmSync(file)
  const reading = `GET of 100,000 shapes / ${limit.name} ordered copy`
  const replacing = `PUT of 100,000 shapes up to commit / ${limit.name} delete and copy`
  return [
    ratioFigure(mode.read.id, reading, read, mode.read.most),
    ...(await readingFigures(url, headers, server, get)),
    ratioFigure(mode.write.id, replacing, write, mode.write.most),
    boundFigure('P5', `PUT: peak memory of ${server.measured}`, [writing.peak], {
      ...{ most: 200, unit: 'MiB' },
    }),
    ...(await largeFigures(server)),
  ]
}

const large = 1_000_000

/** Measures a set of a million shapes in one job, which is too large for the memory of a process. */
async function largeFigures(server: Server): Promise<BenchFigure[]> {
  const { id, labelId } = await makeTask(server, frameCount)
  const url = `${server.api}/tasks/${id}/annotations/`
  const headers = { authorization: server.authorization, 'accept-encoding': 'identity' }
  const send = () => sendAll(url, headers, annotationPieces({ labelId, count: large }))
  const writing = await measureGrowth(server.memory, send)
  const reading = await measureGrowth(server.memory, () => readAll(url, headers))
  const limit = { most: 64, unit: 'MiB' }
  const what = '1,000,000 shapes in one task: growth of memory by a PUT / a GET'
  return [boundFigure('P5', what, [writing.growth, reading.growth], limit)]
}

async function readingFigures(
  url: string,
  headers: Record<string, string>,
  server: Server,
  get: () => Promise<void>,
) {
  const firsts: number[] = []
  while (firsts.length < rounds) firsts.push(await measureMs(() => firstPiece(url, headers)))
  const alone = await measureGrowth(server.memory, get)
  const four = await measureGrowth(server.memory, () => Promise.all([get(), get(), get(), get()]))
  const stalled = await measureGrowth(server.memory, () => stall(url, headers))
  const memory = [alone, four, stalled].map((one) => one.growth)
  const growing = 'GET: growth of memory alone / four at once / a reader that stops for 3 s'
  return [
    boundFigure('P3', 'GET: time to the first byte', [median(firsts)], { most: 50, unit: 'ms' }),
    boundFigure('P3', growing, memory, { most: 64, unit: 'MiB' }),
  ]
}

async function firstPiece(url: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { headers })
  const reader = answer.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

async function stall(url: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { headers })
  const reader = answer.body?.getReader()
  await reader?.read()
  await new Promise((resolve) => setTimeout(resolve, 3000))
  await reader?.cancel()
}

/** Reads and discards an answer with a minimal client, because it shares the processor cores with the server. */
function readAll(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`GET: ${answer.statusCode}`))
      answer.on('end', resolve).on('error', reject).resume()
    })
    call.on('error', reject).end()
  })
}
const agent = new Agent({ keepAlive: true })

/** Sends a body that is generated while it is sent, and reads the answer. */
function sendAll(url: string, headers: Record<string, string>, body: Iterable<string>) {
  return new Promise<void>((resolve, reject) => {
    const sent = { ...headers, 'content-type': 'application/json' }
    const call = request(url, { method: 'PUT', headers: sent, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`PUT: ${answer.statusCode}`))
      answer.on('end', resolve).on('error', reject).resume()
    })
    pipeline(Readable.from(batched(body)), call).catch(reject)
  })
}

function* batched(pieces: Iterable<string>): Generator<string> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < 64 * 1024) continue
    yield text
    text = ''
  }
  yield text
}

async function drain(answer: Response): Promise<void> {
  if (answer.body) for await (const _ of answer.body);
}

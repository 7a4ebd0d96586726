import { openAsBlob, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { z } from 'zod'
import { measureMs, median } from './measure.ts'
import { makePhotos, type Photos } from './photos.ts'
import { residentMiB, startEmbedded } from './server.ts'
import type { BenchFigure } from './table.ts'
import { type BenchCall, callerOf, waitForEnd } from './task.ts'

const created = z.object({ id: z.int() })
const meta = z.object({ size: z.int(), chunk_size: z.int() })
const stalls = z.object({ p99: z.number(), max: z.number() })

const rounds = 3
/** Quality of the chunks of a task, and of the reference loop. */
const quality = 70
const mostRatio = 1.5
const mostWorkerMiB = 400
const mostFirstChunkMs = 100
const mostStallMs = 50

const sets: (Photos & { what: string })[] = [
  { what: '10,000 pictures of 320 x 240', count: 10_000, width: 320, height: 240 },
  { what: '200 photos of 12 megapixels', count: 200, width: 4000, height: 3000 },
]

/**
 * Measures tasks made of many images: the time from request to end as a multiple of a loop that only uses sharp, the
 * memory of the worker, the first chunk, and the time that the API was blocked meanwhile.
 */
export async function mediaFigures(): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'reticle-media-'))
  const report = join(folder, 'stalls.json')
  const preload = new URL('stalls.js', import.meta.url).href
  const server = await startEmbedded({
    BENCH_STALLS: report,
    NODE_OPTIONS: `--import ${preload}`,
  })
  const held = async () => {
    process.kill(server.pid(), 'SIGUSR2')
    await new Promise((resolve) => setTimeout(resolve, 500))
    return stalls.parse(JSON.parse(readFileSync(report, 'utf8')))
  }
  try {
    const figures: BenchFigure[] = []
    for (const photos of sets) {
      const pictures = await mkdtemp(join(folder, 'pictures-'))
      const files = await makePhotos(pictures, photos)
      figures.push(...(await figuresOf(photos.what, files, server, held)))
      rmSync(pictures, { recursive: true })
    }
    return figures
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Server = Awaited<ReturnType<typeof startEmbedded>>

async function figuresOf(
  what: string,
  files: readonly string[],
  server: Server,
  held: () => Promise<z.output<typeof stalls>>,
): Promise<BenchFigure[]> {
  const call = callerOf(server)
  const pairs: { limit: number; subject: number }[] = []
  const chunks: number[] = []
  const stalled: z.output<typeof stalls>[] = []
  const peaks: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const { id, start } = await uploaded(call, server, files)
    await held() // resets the earlier delay
    const ended = await watchWorkers(server.pid(), async () => {
      const { created_date, finished_date } = await waitForEnd(call, await start())
      return Number(finished_date) - Number(created_date)
    })
    stalled.push(await held())
    const { chunk_size } = meta.parse(await call('GET', `/tasks/${id}/data/meta`))
    const chunk = `${server.api}/tasks/${id}/data?type=chunk&number=0`
    chunks.push(await measureMs(() => fetched(chunk, server.authorization)))
    peaks.push(ended.peak)
    pairs.push({ limit: await measureMs(() => bareLoop(files, chunk_size)), subject: ended.ms })
  }
  const counted = pairs.slice(1)
  const ratio = median(counted.map(({ limit, subject }) => subject / limit))
  const [limit, subject] = [
    median(counted.map((pair) => pair.limit)),
    median(counted.map((pair) => pair.subject)),
  ]
  const peak = Math.max(...peaks)
  const chunk = median(chunks.slice(1))
  const p99 = median(stalled.map((one) => one.p99))
  return [
    {
      id: 'media',
      what: `a task of ${what}: creation / bare sharp loop (sizes of all, JPEGs of the first chunk)`,
      seen: `${ratio.toFixed(2)} (${subject.toFixed(0)} ms / ${limit.toFixed(0)} ms)`,
      target: `<= ${mostRatio}`,
      holds: ratio <= mostRatio,
    },
    {
      id: 'media',
      what: `a task of ${what}: largest worker`,
      seen: `${peak.toFixed(0)} MiB`,
      target: `<= ${mostWorkerMiB} MiB`,
      holds: peak <= mostWorkerMiB,
    },
    {
      id: 'media',
      what: `a task of ${what}: its first chunk once prepared`,
      seen: `${chunk.toFixed(0)} ms`,
      target: `<= ${mostFirstChunkMs} ms`,
      holds: chunk <= mostFirstChunkMs,
    },
    {
      id: 'P17',
      what: `event loop of the API while a task of ${what} is made, p99`,
      seen: `${p99.toFixed(1)} ms (longest ${Math.max(...stalled.map((one) => one.max)).toFixed(0)} ms)`,
      target: `<= ${mostStallMs} ms`,
      holds: p99 <= mostStallMs,
    },
  ]
}

/** Sends files in groups, as clients do; `start` then creates the media. */
async function uploaded(call: BenchCall, { api, authorization }: Server, files: readonly string[]) {
  const json = JSON.stringify({ name: 'bench', labels: [{ name: 'car' }] })
  const { id } = created.parse(await call('POST', '/tasks', json))
  const send = async (headers: Record<string, string>, body?: FormData | string) => {
    const answer = await fetch(`${api}/tasks/${id}/data`, {
      method: 'POST',
      headers: { authorization, ...headers },
      body,
    })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    return answer
  }
  await send({ 'upload-start': '' })
  const group = 25
  for (let at = 0; at < files.length; at += group) {
    const form = new FormData()
    for (const [index, file] of files.slice(at, at + group).entries())
      form.append(`client_files[${index}]`, await openAsBlob(file), basename(file))
    await send({ 'upload-multiple': '' }, form)
  }
  const start = async () => {
    const parameters = JSON.stringify({ image_quality: quality })
    const type = { 'content-type': 'application/json' }
    return (await send({ 'upload-finish': '', ...type }, parameters)).json()
  }
  return { id, start }
}

/** The minimal work: reads the size of every image, eight at a time, and compresses the first chunk. */
async function bareLoop(files: readonly string[], chunk: number): Promise<void> {
  for (let at = 0; at < files.length; at += 8)
    await Promise.all(files.slice(at, at + 8).map((file) => sharp(file).metadata()))
  for (let at = 0; at < chunk; at += 2) {
    const pair = files.slice(at, Math.min(at + 2, chunk))
    await Promise.all(pair.map((file) => sharp(file).autoOrient().jpeg({ quality }).toBuffer()))
  }
}

async function fetched(url: string, authorization: string): Promise<void> {
  const answer = await fetch(url, { headers: { authorization } })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`)
}

/** Runs a function and samples the memory of all processes that the server started. */
async function watchWorkers(
  pid: number,
  run: () => Promise<number>,
): Promise<{ ms: number; peak: number }> {
  let peak = 0
  const watch = setInterval(() => {
    for (const child of childrenOf(pid)) peak = Math.max(peak, residentMiB(child) || 0)
  }, 20)
  try {
    return { ms: await run(), peak }
  } finally {
    clearInterval(watch)
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        .split(' ')
        .filter((one) => one !== '')
        .map(Number),
    )
  } catch {
    return []
  }
}

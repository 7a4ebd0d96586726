import { execFileSync } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { writeClip } from '@reticle/kit/testing/video/clips'
import { readNumber } from '@reticle/kit/testing/video/numbered'
import { z } from 'zod'
import { median } from './measure.ts'
import { type Server, startEmbedded } from './server.ts'
import type { BenchFigure } from './table.ts'
import { callerOf, waitForEnd } from './task.ts'

const created = z.object({ id: z.int() })
const sized = z.object({ size: z.int() })
const decoded = z.object({ pictures: z.int(), ms: z.number() })

const frames = 10_000
const rounds = 3
const randomFrames = 200
const mostRatio = 1.3
const mostRandomMs = 300

/**
 * Measures a task of a video of 720 lines: its creation as a multiple of decoding it once, the correctness of frames by
 * the numbers drawn on them, and the waiting time for random frames.
 */
export async function videoFigures(): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'reticle-video-bench-'))
  const server = await startEmbedded()
  try {
    const file = join(folder, 'long.mp4')
    const options = { preset: 'ultrafast', bf: '2' }
    writeClip(file, { frames, width: 1280, height: 720, gop: 100, options })
    const pairs: { limit: number; subject: number }[] = []
    let task = { id: 0, size: 0, ms: 0 }
    for (let round = 0; round <= rounds; round++) {
      const { pictures, ms: limit } = bareDecode(file)
      if (pictures !== frames) throw new Error(`the clip has ${pictures} frames`)
      task = await makeTask(server, file)
      pairs.push({ limit, subject: task.ms })
    }
    const counted = pairs.slice(1)
    const ratio = median(counted.map(({ limit, subject }) => subject / limit))
    const wrong = await wrongFrames(server, task.id)
    const p95 = await randomAccess(server, task.id)
    const medianOf = (of: 'limit' | 'subject') => median(counted.map((pair) => pair[of])).toFixed(0)
    return [
      {
        id: 'video',
        what: `a task of a video of ${frames} frames of 720 lines: creation / decoding it once`,
        seen: `${ratio.toFixed(2)} (${medianOf('subject')} ms / ${medianOf('limit')} ms)`,
        target: `<= ${mostRatio}`,
        holds: ratio <= mostRatio,
      },
      {
        id: 'video',
        what: `the same: frames that it has, and that show another number than theirs`,
        seen: `${task.size}, ${wrong}`,
        target: `${frames}, 0`,
        holds: task.size === frames && wrong === 0,
      },
      {
        id: 'video',
        what: `the same: ${randomFrames} frames anywhere, p95`,
        seen: `${p95.toFixed(0)} ms`,
        target: `<= ${mostRandomMs} ms`,
        holds: p95 <= mostRandomMs,
      },
    ]
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function bareDecode(file: string): z.output<typeof decoded> {
  const program = fileURLToPath(new URL('bare-decode.js', import.meta.url))
  return decoded.parse(JSON.parse(execFileSync(process.execPath, [program, file]).toString()))
}

async function makeTask(server: Server, file: string) {
  const call = callerOf(server)
  const json = JSON.stringify({ name: 'bench', labels: [{ name: 'car' }] })
  const { id } = created.parse(await call('POST', '/tasks', json))
  const form = new FormData()
  form.append('client_files[0]', await openAsBlob(file), 'long.mp4')
  const request = await waitForEnd(call, await call('POST', `/tasks/${id}/data`, form))
  const { size } = sized.parse(await call('GET', `/tasks/${id}`))
  return { id, size, ms: Number(request.finished_date) - Number(request.created_date) }
}

async function bytesOf({ api, authorization }: Server, path: string): Promise<Buffer> {
  const answer = await fetch(`${api}${path}`, { headers: { authorization } })
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** Reads all frames, chunk after chunk; returns the wrong ones. */
async function wrongFrames(server: Server, id: number): Promise<number> {
  let frame = 0
  let wrong = 0
  for (let number = 0; frame < frames; number++) {
    const archive = await bytesOf(server, `/tasks/${id}/data?type=chunk&number=${number}`)
    for (const picture of await membersOf(archive)) {
      if ((await readNumber(picture)) !== frame) wrong++
      frame++
    }
  }
  return wrong
}

async function membersOf(archive: Buffer): Promise<Buffer[]> {
  const read = async (start: number, end: number) => archive.subarray(start, end)
  const none = Number.MAX_SAFE_INTEGER
  const zip = await openZip(
    { size: archive.length, read },
    { entries: none, bytes: none, ratio: none },
  )
  const members: Buffer[] = []
  for (const entry of zip.files.values()) {
    const start = await zip.dataStart(entry)
    members.push(archive.subarray(start, start + entry.size))
  }
  return members
}

/** Returns the p95 in milliseconds of frames that were not read before, so that none is cached. */
async function randomAccess(server: Server, id: number): Promise<number> {
  const times: number[] = []
  const stride = 7919 // a prime, so that the steps reach all parts
  for (let count = 0; count < randomFrames; count++) {
    const frame = (count * stride) % frames
    const began = performance.now()
    const picture = await bytesOf(server, `/tasks/${id}/data?type=frame&number=${frame}`)
    times.push(performance.now() - began)
    if ((await readNumber(picture)) !== frame) throw new Error(`frame ${frame} is another one`)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

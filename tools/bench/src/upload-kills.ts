import { fork } from 'node:child_process'
import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import { z } from 'zod'
import { makePhotos } from './photos.ts'
import { startEmbedded } from './server.ts'
import type { BenchFigure } from './table.ts'
import { callerOf, waitForEnd } from './task.ts'

const created = z.object({ id: z.int() })
const mostGrowthMiB = 64
/** Size of one image; the noise after the end of a JPEG is ignored by decoders. */
const pictureBytes = 32 * 1024 * 1024

/**
 * Measures an upload of many gigabytes whose sender and then server are killed: every image in it is read back and
 * compared. The memory of the server is sampled while only senders are killed.
 */
export async function uploadKillsFigures(gigabytes = 5, kills = 20): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'reticle-upload-'))
  const server = await startEmbedded()
  try {
    const { file, digests } = await makeArchive(folder, gigabytes)
    const call = callerOf(server)
    const json = JSON.stringify({ name: 'bench', labels: [{ name: 'car' }] })
    const { id } = created.parse(await call('POST', '/tasks', json))
    const sender = { api: server.api, authorization: server.authorization, id, file }
    const growth = await send(sender, kills, server)
    const headers = { authorization: server.authorization, 'upload-finish': '' }
    const answer = await fetch(`${server.api}/tasks/${id}/data`, { method: 'POST', headers })
    if (!answer.ok) throw new Error(`finish: ${answer.status} ${await answer.text()}`)
    await waitForEnd(call, await answer.json())
    const wrong = await compare(server, id, digests)
    return [
      {
        id: 'uploads',
        what: `${gigabytes} GB, sender killed ${kills / 2} times and server ${kills / 2} times: pictures that came otherwise`,
        seen: `${wrong} of ${digests.length}`,
        target: '0',
        holds: wrong === 0,
      },
      {
        id: 'uploads',
        what: 'the same: what the process of the gateway grows by while it receives',
        seen: `${growth.toFixed(0)} MiB`,
        target: `<= ${mostGrowthMiB} MiB`,
        holds: growth <= mostGrowthMiB,
      },
    ]
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Sender {
  api: string
  authorization: string
  id: number
  file: string
}

type Server = Awaited<ReturnType<typeof startEmbedded>>

/** @returns MiB by which the server grows between the first part of the file and its first kill */
async function send(sender: Sender, kills: number, server: Server): Promise<number> {
  const { size } = statSync(sender.file)
  const file = await createFile(sender, size)
  let child = startSender(sender, file)
  let base = Number.POSITIVE_INFINITY
  let peak = 0
  for (let kill = 1; kill <= kills; kill++) {
    const isOfSender = kill <= kills / 2
    await reached((size * kill) / (kills + 1), file, sender, () => {
      if (!isOfSender) return
      if (kill > 1) peak = Math.max(peak, ...server.memory())
      else base = Math.max(...server.memory())
    })
    if (isOfSender) {
      child.kill('SIGKILL')
      child = startSender(sender, file)
    } else await server.killAndStart()
  }
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the sender failed')
  return peak - base
}

async function createFile({ api, authorization, id }: Sender, size: number): Promise<string> {
  const headers = { authorization, 'tus-resumable': '1.0.0' }
  const answer = await fetch(`${api}/tasks/${id}/data/`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(size),
      'upload-metadata': `filename ${Buffer.from('photos.zip').toString('base64')}`,
    },
  })
  const location = answer.headers.get('location')
  if (answer.status !== 201 || !location) throw new Error(`create: ${answer.status}`)
  return location
}

/** Returns the stored offset; undefined while the server is down, and "all" once the upload is complete. */
async function offsetOf(file: string, authorization: string): Promise<number | undefined> {
  try {
    const headers = { authorization, 'tus-resumable': '1.0.0' }
    const answer = await fetch(file, { method: 'HEAD', headers })
    if (answer.status === 404) return Number.POSITIVE_INFINITY
    return answer.ok ? Number(answer.headers.get('upload-offset')) : undefined
  } catch {
    return undefined
  }
}

async function reached(
  bytes: number,
  file: string,
  { authorization }: Sender,
  look: () => void,
): Promise<void> {
  for (;;) {
    look()
    const offset = await offsetOf(file, authorization)
    if (offset !== undefined && offset >= bytes) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const startSender = ({ file, authorization }: Sender, location: string) =>
  fork(fileURLToPath(import.meta.url), [location, authorization, file])

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , location = '', authorization = '', file = ''] = process.argv
  const { size } = statSync(file)
  for (;;) {
    const offset = await offsetOf(location, authorization)
    if (offset === Number.POSITIVE_INFINITY) break
    if (offset !== undefined)
      await sendFrom(offset, { location, authorization, file, size }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Sends the remaining bytes in one request, directly from the file. */
async function sendFrom(
  offset: number,
  {
    location,
    authorization,
    file,
    size,
  }: Record<'location' | 'authorization' | 'file', string> & {
    size: number
  },
): Promise<void> {
  const call = request(location, {
    method: 'PATCH',
    headers: {
      authorization,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-length': size - offset,
      'content-type': 'application/offset+octet-stream',
    },
  })
  const answered = once(call, 'response')
  answered.catch(() => undefined) // the pipeline reports the error
  await pipeline(createReadStream(file, { start: offset }), call)
  const [answer] = await answered
  answer.resume()
}

/** Creates an archive of images that are mostly noise; returns the digests of its members in order. */
async function makeArchive(folder: string, gigabytes: number) {
  const count = Math.ceil((gigabytes * 1e9) / pictureBytes)
  const [picture = ''] = await makePhotos(folder, { count: 1, width: 640, height: 480 })
  const head = await readFile(picture)
  const digests: string[] = []
  async function* members() {
    for (let index = 0; index < count; index++) {
      const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, index), Buffer.alloc(16))
      const content = Buffer.concat([head, noise.update(Buffer.alloc(pictureBytes - head.length))])
      digests.push(digestOf(content))
      yield { path: `${String(index).padStart(4, '0')}.jpg`, content }
    }
  }
  const file = join(folder, 'photos.zip')
  await pipeline(writeZip(members(), new Date(0)), createWriteStream(file))
  return { file, digests }
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')

async function compare(
  { api, authorization }: Server,
  id: number,
  digests: readonly string[],
): Promise<number> {
  let wrong = 0
  for (const [frame, digest] of digests.entries()) {
    const url = `${api}/tasks/${id}/data?type=frame&quality=original&number=${frame}`
    const answer = await fetch(url, { headers: { authorization } })
    if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`)
    if (digestOf(new Uint8Array(await answer.arrayBuffer())) !== digest) wrong++
  }
  return wrong
}

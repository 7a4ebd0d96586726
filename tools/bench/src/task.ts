import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { crc32, deflateSync } from 'node:zlib'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import { z } from 'zod'
import type { Server } from './server.ts'

const task = z.object({ id: z.int(), labels: z.array(z.object({ id: z.int() })).min(1) })
const started = z.object({ rq_id: z.string() })
const date = z.coerce.date()
const request = z.object({
  status: z.string(),
  message: z.string(),
  result_url: z.string().nullable(),
  created_date: date,
  finished_date: date.nullable(),
})

export type BenchCall = (method: string, path: string, body?: FormData | string) => Promise<unknown>

/** Returns a function that makes calls which must succeed, and returns their JSON. */
export function callerOf({ api, authorization }: Pick<Server, 'api' | 'authorization'>): BenchCall {
  return async (method, path, body) => {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined
    const headers = { authorization, ...type }
    const answer = await fetch(`${api}${path}`, { method, body, headers })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

/** Waits for the end of the request that a call has started. */
export async function waitForEnd(
  call: BenchCall,
  answer: unknown,
): Promise<z.output<typeof request>> {
  const { rq_id } = started.parse(answer)
  for (;;) {
    const path = `/requests/${encodeURIComponent(rq_id)}?wait=30`
    const record = request.parse(await call('GET', path))
    if (record.status === 'failed') throw new Error(record.message)
    if (record.status === 'finished') return record
  }
}

interface Pictures {
  /** Frames per job; by default all frames are in one job. */
  segment_size?: number
  width?: number
  height?: number
}

/** Creates a task of `frames` images of 1920 x 1080 pixels and few bytes through the API. */
export async function makeTask(
  server: Pick<Server, 'api' | 'authorization'>,
  frames: number,
  { segment_size, width = 1920, height = 1080 }: Pictures = {},
): Promise<{ id: number; labelId: number }> {
  const call = callerOf(server)
  const json = JSON.stringify({ name: 'bench', labels: [{ name: 'car' }], segment_size })
  const { id, labels } = task.parse(await call('POST', '/tasks', json))
  await waitForEnd(
    call,
    await call('POST', `/tasks/${id}/data`, await pixels(frames, png(width, height))),
  )
  return { id, labelId: labels[0]?.id ?? 0 }
}

/** Replaces the annotations by a set of any size. */
export async function sendShapes(
  { api, authorization }: Pick<Server, 'api' | 'authorization'>,
  path: string,
  pieces: Iterable<string>,
): Promise<void> {
  const answer = await fetch(`${api}${path}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: Readable.toWeb(Readable.from(batched(pieces))),
    duplex: 'half',
  } as RequestInit)
  if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
  for await (const _ of answer.body ?? []);
}

/** Saves the file of an export. */
export async function downloadFile(
  { authorization }: Pick<Server, 'authorization'>,
  url: string,
  file: string,
): Promise<void> {
  const answer = await fetch(url, { headers: { authorization } })
  if (!answer.ok || !answer.body) throw new Error(`${url}: ${answer.status}`)
  await pipeline(answer.body, createWriteStream(file))
}

function* batched(pieces: Iterable<string>): Generator<Buffer> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < 1 << 16) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

/** Returns the name of a frame's image. */
export const pictureName = (frame: number): string => `${String(frame).padStart(6, '0')}.png`

/** Uses one archive, because no client sends a form of a hundred thousand parts. */
async function pixels(frames: number, content: Buffer): Promise<FormData> {
  const members = Array.from({ length: frames }, (_, at) => ({ path: pictureName(at), content }))
  const form = new FormData()
  const archive = new Blob([await buffer(writeZip(members, new Date(0)))])
  form.append('client_files[0]', archive, 'pictures.zip')
  return form
}

/** Creates a grey image of one bit a pixel: large enough in pixels for masks, small in bytes. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(height * (1 + width / 8)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

import { text } from 'node:stream/consumers'
import { type FrameSource, frameSource } from '@reticle/contracts/rest/media'
import { factsOf } from '@reticle/contracts/testing/records'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import sharp from 'sharp'
import type { OperationDeps, OperationServices } from '../operations/operation.ts'
import { prepareMedia } from '../operations/prepare/prepare-media.ts'
import { withShare } from '../storage/share/files.ts'
import { gatherBytes } from '../storage/stored-file.ts'
import { createWork, runOf, testStore } from './run.ts'
import { authorityOf, servicesOf } from './services.ts'

type Attach = OperationServices['media']['attachMedia']

/** Prepares media of task 1 for user 1, and returns the results. */
export async function createPreparation() {
  const store = await testStore()
  const tasks = authorityOf([
    { target: 'task', id: 1, user_id: 1, facts: factsOf({ size: 0, jobs: [] }) },
  ])
  const attached: { query: Omit<Parameters<Attach>[0], 'body'>; frames: FrameSource[] }[] = []
  const attachMedia: Attach = async ({ body, ...query }) => {
    const lines = (await text(body)).trimEnd().split('\n')
    const frames = lines.map((line) => frameSource.parse(JSON.parse(line)))
    attached.push({ query, frames })
    return { size: frames.length, jobs: 1 }
  }
  const services = servicesOf({ tasks, media: { attachMedia } })

  /**
   * Prepares media.
   *
   * @returns the frames, and all facts of the run
   */
  async function prepare(
    params: Parameters<typeof createWork>[0],
    given: Partial<OperationDeps> = {},
  ) {
    const work = createWork(params)
    const blobs = withShare(store.blobs, given.shareDir)
    const run = await runOf(store, services, { blobs, ...given })
    const outcome = await prepareMedia(work, run)
    const { frames, query } = attached.at(-1) ?? raise()
    return { frames, names: frames.map(({ name }) => name), query, outcome, work, run }
  }
  return { ...store, attached, services, prepare }
}

function raise(): never {
  throw new Error('no media was attached')
}

type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'

export const picture = (width: number, height: number, format: Format = 'jpeg') =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer()

export async function zipFiles(members: Record<string, string | Uint8Array>): Promise<Buffer> {
  const files = Object.entries(members).map(([path, content]) => ({ path, content }))
  return gatherBytes(writeZip(files, new Date(0)))
}

/** Creates a bitmap of one colour: 24 bits, bottom row first. */
export function createBitmap(
  width: number,
  height: number,
  [red, green, blue] = [200, 100, 50],
): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4
  const bytes = Buffer.alloc(54 + stride * height)
  bytes.write('BM', 0, 'latin1')
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(width, 18)
  bytes.writeInt32LE(height, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      bytes.set([blue ?? 0, green ?? 0, red ?? 0], 54 + y * stride + x * 3)
  return bytes
}

import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { z } from 'zod'
import { watchProcesses } from './family.ts'
import { measureMs } from './measure.ts'
import { createPhotographer } from './photos.ts'
import type { Restartable } from './server.ts'
import { type BenchFigure, boundFigure, ratioFigure } from './table.ts'
import { callerOf, waitForEnd } from './task.ts'

const mebibyte = 1024 * 1024
const photo = { width: 4000, height: 3000 }
const usualMiB = 2000
/** The photos are stored by the server, written into an archive, and stored twice more for the limit. */
const shareOfDisk = 1 / 10

const mostMiB = 150
const mostTimes = 10.5
const mostOfLimit = 3

/** A tenth of the photos, and all of them. */
interface Sets {
  small: Exported
  large: Exported
}

interface Exported {
  count: number
  bytes: number
  exportMs: number
  /** Growth of the server and of its child processes, largest first. */
  growths: number[]
  copyMs: number
}

/**
 * Measures COCO exports with images, of a set and of one ten times as large: the growth of each process and the time,
 * against each other and against copying the same bytes between two object stores.
 *
 * @param wished MiB of the larger set
 */
export async function imageFigures(server: Restartable, wished?: string): Promise<BenchFigure[]> {
  const take = await createPhotographer(photo)
  const tenth = Math.max(1, Math.floor((await largestBytes(wished)) / take(0).bytes.length / 10))
  const sets: Sets = {
    small: await exported(server, take, tenth),
    large: await exported(server, take, tenth * 10),
  }
  return figuresOf(sets)
}

async function largestBytes(wished?: string): Promise<number> {
  if (wished !== undefined) return z.coerce.number().positive().parse(wished) * mebibyte
  const { bavail, bsize } = await statfs(tmpdir())
  return Math.min(usualMiB * mebibyte, bavail * bsize * shareOfDisk)
}

function figuresOf({ small, large }: Sets): BenchFigure[] {
  const what = `${large.count} photos exported with their images`
  const amount = `${(large.bytes / mebibyte).toFixed(0)} MiB`
  const compared = (title: string, limit: number, most: number) => {
    const ratio = large.exportMs / limit
    const figure = ratioFigure('images', title, { limit, subject: large.exportMs, ratio }, most)
    return { ...figure, seen: `${figure.seen}, ${amount}` }
  }
  const memory = { most: mostMiB, unit: 'MiB' }
  return [
    compared(`${what} / ${small.count} photos`, small.exportMs, mostTimes),
    compared(`${what} / the same bytes copied from store to store`, large.copyMs, mostOfLimit),
    boundFigure('images', `${what}: growth of each process`, large.growths, memory),
  ]
}

type Take = Awaited<ReturnType<typeof createPhotographer>>

async function exported(server: Restartable, take: Take, count: number): Promise<Exported> {
  const call = callerOf(server)
  const at = `/tasks/${await makeTask(server, take, count)}`
  const query = `format=${encodeURIComponent('COCO 1.0')}&save_images=true`
  const { ms, growths } = await watchProcesses(server.pid(), async () =>
    waitForEnd(call, await call('POST', `${at}/dataset/export?${query}`)),
  )
  const { bytes, copyMs } = await copied(take, count)
  return { count, bytes, exportMs: ms, growths, copyMs }
}

const created = z.object({ id: z.int() })
const groupSize = 10

async function makeTask(
  { api, authorization }: Restartable,
  take: Take,
  count: number,
): Promise<number> {
  const call = callerOf({ api, authorization })
  const json = JSON.stringify({ name: 'bench', labels: [{ name: 'car' }] })
  const { id } = created.parse(await call('POST', '/tasks', json))
  const send = async (step: string, body?: FormData) => {
    const headers = { authorization, [step]: '' }
    const answer = await fetch(`${api}/tasks/${id}/data`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    return answer
  }
  for (let at = 0; at < count; at += groupSize) {
    const form = new FormData()
    for (let index = at; index < Math.min(at + groupSize, count); index++) {
      const { name, bytes } = take(index)
      form.append(`client_files[${index}]`, new Blob([bytes]), name)
    }
    await send('upload-multiple', form)
  }
  await waitForEnd(call, await (await send('upload-finish')).json())
  return id
}

/** The minimal work: copies all bytes from one store into one object of another. */
async function copied(take: Take, count: number): Promise<{ bytes: number; copyMs: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'reticle-bench-'))
  try {
    const [from, to] = [await diskBlobs(join(folder, 'from')), await diskBlobs(join(folder, 'to'))]
    async function* one(bytes: Uint8Array) {
      yield bytes
    }
    for (let index = 0; index < count; index++) await from.put(`${index}`, one(take(index).bytes))
    async function* all() {
      for (let index = 0; index < count; index++) yield* (await from.get(`${index}`)).chunks
    }
    const copyMs = await measureMs(() => to.put('all', all()))
    return { bytes: (await to.stat('all')).size, copyMs }
  } finally {
    await rm(folder, { recursive: true })
  }
}

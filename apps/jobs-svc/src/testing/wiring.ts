import { setTimeout as sleep } from 'node:timers/promises'
import { encodeShape, rowLinesHeader } from '@reticle/contracts/row-lines'
import { invalidText, unavailable } from '@reticle/kit'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { z } from 'zod'
import type { Wired } from '../worker/serve-conversions.ts'
import { bytesAnswer, factsOf, frameOf, jsonLinesOf, labelOf, servicesOf } from './services.ts'

/** What a conversion meets in the worker's tests, by the id of its task. */
export const tasks = { works: 1, hangs: 2, spins: 3, hoards: 4, isDown: 5, isRefused: 6 } as const

const shape = encodeShape({
  id: 7,
  frame: 0,
  label_id: 1,
  group: 0,
  source: 'manual',
  type: 'rectangle',
  score: 1,
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  points: [1, 2, 4, 6],
  attributes: [],
  elements: [],
})

/** Loaded by the conversion threads of the worker's tests, like the module of an app. */
export async function wire(options: unknown): Promise<Wired> {
  const { root } = z.object({ root: z.string() }).parse(options)
  const getLabelSet = async ({ task_id }: { task_id: number }) => {
    await behave(task_id)
    return { labels_revision: 1, labels: [labelOf()] }
  }
  const services = servicesOf({
    tasks: { authorize: async ({ id }) => factsOf({ task_id: id, size: 1 }) },
    labels: { getLabelSet },
    media: { readFrames: async () => bytesAnswer(jsonLinesOf([frameOf()])) },
    annotations: { readRows: async () => bytesAnswer([rowLinesHeader, shape]) },
  })
  return { services, blobs: await diskBlobs(root) }
}

async function behave(task_id: number): Promise<void> {
  if (task_id === tasks.hangs) await sleep(3_600_000)
  if (task_id === tasks.spins) for (;;) Math.sqrt(2)
  if (task_id === tasks.hoards) hoard()
  if (task_id === tasks.isDown) throw unavailable('The labels are away')
  if (task_id === tasks.isRefused) throw invalidText('These labels cannot be used')
}

function hoard(): never {
  const all: object[] = []
  for (;;) all.push({ n: all.length, list: new Array(100).fill(all.length) })
}

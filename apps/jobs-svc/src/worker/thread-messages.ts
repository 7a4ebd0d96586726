import { z } from 'zod'
import { newCheckpoint } from '../checkpoints/checkpoint.ts'
import { failure } from '../operations/failure.ts'
import { amounts } from '../requests/amounts.ts'
import { outcome, work } from '../requests/work.ts'

/** What the worker's main thread and its conversion threads tell each other. */

/** A module of the app that starts the worker: it opens pools and stores inside of each thread. */
export const wiring = z.object({
  /** URL of a module that exports `wire(options): Promise<Wired>`. */
  module: z.string(),
  /** Handed to `wire`; must survive structured cloning. */
  options: z.unknown(),
})

export const threadData = z.object({
  data: z.object({
    wiring,
    tmpDir: z.string(),
    limits: z.object({ entries: z.number(), bytes: z.number(), ratio: z.number() }),
    shareDir: z.string().optional(),
    ffmpegPath: z.string().optional(),
    videoCacheBytes: z.number(),
    checkpoints: z.object({ afterMs: z.number(), everyMs: z.number() }),
    /** Networks that may be asked though they are not public, the most bytes of a file from elsewhere, and the proxy between. */
    remote: z.object({
      nets: z.array(z.string()).readonly(),
      maxBytes: z.number(),
      egressProxy: z.string().optional(),
    }),
  }),
})

const hashedFile = z.object({ key: z.string(), size: z.int(), sha256: z.string() })

export const toThread = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), work }),
  z.object({ type: z.literal('abort') }),
  /** Whether the final transaction may begin. */
  z.object({ type: z.literal('final'), granted: z.boolean() }),
  /** Whether a checkpoint is kept. */
  z.object({ type: z.literal('noted'), isHeld: z.boolean() }),
  /** Where files are kept, by their keys; null: the lease is lost, or nobody could tell. */
  z.object({ type: z.literal('shared'), isHeld: z.boolean() }),
  z.object({ type: z.literal('kept'), keys: z.map(z.string(), z.string()).nullable() }),
])

export const fromThread = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('progress'), share: z.number(), stage: z.string(), amounts }),
  z.object({ type: z.literal('final') }),
  z.object({ type: z.literal('checkpoint'), checkpoint: newCheckpoint.nullable() }),
  /** Files that are to be kept once. */
  z.object({ type: z.literal('keep'), files: z.array(hashedFile) }),
  /** A task whose media is in the files of the request. */
  z.object({ type: z.literal('share'), task_id: z.int() }),
  z.object({ type: z.literal('done'), outcome }),
  /** `detail`: the stack, for the log. */
  z.object({ type: z.literal('failed'), failure: failure.extend({ detail: z.string() }) }),
])

export type Wiring = z.infer<typeof wiring>
export type ThreadData = z.infer<typeof threadData>['data']
export type ToThread = z.infer<typeof toThread>
export type FromThread = z.infer<typeof fromThread>

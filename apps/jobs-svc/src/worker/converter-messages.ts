import { deserialize, serialize } from 'node:v8'
import { placeOf } from '@reticle/kit/validation'
import { z } from 'zod'
import { newCheckpoint } from '../checkpoints/checkpoint.ts'
import { failure, oneLine } from '../operations/failure.ts'
import { outcome, work } from '../requests/work.ts'

/** Messages between the worker and its converters. */

/** A module of the app that starts the worker: it opens pools and stores inside of each converter. */
export const wiring = z.object({
  /** URL of a module that exports `wire(options): Promise<Wired>`. */
  module: z.string(),
  /** Handed to `wire`; must survive structured cloning. */
  options: z.unknown(),
})

/** The first message to a converter. */
export const converterData = z.object({
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
})

/**
 * Messages travel as text that holds the bytes of a structured clone. The channel itself would read a clone outside of every
 * `try`, so that a value which is nested too deeply would end the process that receives it.
 */
export const encodeMessage = (message: unknown): string => serialize(message).toString('base64')

/** Throws for what `encodeMessage` has not written. */
export function decodeMessage(sent: unknown): unknown {
  if (typeof sent !== 'string') throw new TypeError('it is not text')
  return deserialize(Buffer.from(sent, 'base64'))
}

const hashedFile = z.object({ key: z.string(), size: z.int(), sha256: z.string() })

/**
 * Every message between the two carries the number of the run that it belongs to: a converter is used again, and a message that
 * comes after the end of its run must not count for the next one.
 */
const run = z.int()
const ofRun = z.object({ run })

/** The run of a message that may be malformed in every other way. */
export const runOf = (sent: unknown): number | undefined => ofRun.safeParse(sent).data?.run

/** The first fault of a message, with its field. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const place = placeOf((issue?.path ?? []).map(String))
  return place === '' ? `${issue?.message}` : `${place}: ${issue?.message}`
}

/** An answer names its question. False: the lease is lost. */
const answer = z.union([z.boolean(), z.map(z.string(), z.string())])
export type Answer = z.infer<typeof answer>

export const toConverter = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), run, work }),
  z.object({ type: z.literal('abort'), run }),
  z.object({ type: z.literal('answer'), run, question: z.int(), answer }),
])

const asked = z.discriminatedUnion('about', [
  /** Whether the final transaction may begin. */
  z.object({ about: z.literal('final') }),
  /** How far the archive came. */
  z.object({ about: z.literal('checkpoint'), checkpoint: newCheckpoint.nullable() }),
  /** Files that are to be kept once; the answer is where they are kept, by their keys. */
  z.object({ about: z.literal('keep'), files: z.array(hashedFile) }),
  /** A task whose media is in the files of the request. */
  z.object({ about: z.literal('share'), task_id: z.int() }),
])

/** Texts of a converter are stored and logged: only so much of them is, and nothing that the database refuses. */
const shortened = (length: number) => z.string().transform((text) => oneLine(text.slice(0, length)))

export const fromConverter = z.discriminatedUnion('type', [
  /** The gate of progress corrects the share and the amounts. */
  z.object({
    type: z.literal('progress'),
    run,
    share: z.unknown(),
    stage: shortened(200),
    amounts: z.unknown(),
  }),
  z.object({ type: z.literal('question'), run, question: z.int(), asked }),
  z.object({ type: z.literal('done'), run, outcome }),
  /** `detail`: the stack, for the log. */
  z.object({
    type: z.literal('failed'),
    run,
    failure: failure.extend({
      message: shortened(1000),
      detail: z.string().transform((text) => text.slice(0, 10_000)),
    }),
  }),
])

export type Wiring = z.infer<typeof wiring>
export type ConverterData = z.infer<typeof converterData>
export type ToConverter = z.infer<typeof toConverter>
export type FromConverter = z.infer<typeof fromConverter>
export type Asked = z.infer<typeof asked>

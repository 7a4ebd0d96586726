import { deserialize, serialize } from 'node:v8'
import { formatPath } from '@reticle/kit/call/validation'
import { z } from 'zod'
import { newCheckpoint } from '../work/checkpoint.ts'
import { failure, oneLine } from '../work/failure.ts'
import { outcome, work } from '../work/request-work.ts'

/** Messages between the worker and its converters. */

/** Module of the app that starts the worker. Each converter loads it to open its pools and stores. */
export const wiring = z.object({
  /** URL of a module that exports `openConverterPorts(options): Promise<ConverterPorts>`. */
  module: z.string(),
  /** Argument of `openConverterPorts`; must survive structured cloning. */
  options: z.unknown(),
})

/** First message to a converter. */
export const converterData = z.object({
  wiring,
  tmpDir: z.string(),
  limits: z.object({ entries: z.number(), bytes: z.number(), ratio: z.number() }),
  shareDir: z.string().optional(),
  ffmpegPath: z.string().optional(),
  videoCacheBytes: z.number(),
  checkpoints: z.object({ afterMs: z.number(), everyMs: z.number() }),
  /** Non-public networks that downloads may reach, the largest download in bytes, and the egress proxy. */
  remote: z.object({
    nets: z.array(z.string()).readonly(),
    maxBytes: z.number(),
    egressProxy: z.string().optional(),
  }),
})

/**
 * Encodes a message as text with the bytes of a structured clone. The channel itself would decode a clone outside of
 * every `try`, so a value that is nested too deeply would end the receiving process.
 */
export const encodeMessage = (message: unknown): string => serialize(message).toString('base64')

/**
 * Decodes a message.
 *
 * @throws Error when `encodeMessage` has not written it
 */
export function decodeMessage(sent: unknown): unknown {
  if (typeof sent !== 'string') throw new TypeError('it is not text')
  return deserialize(Buffer.from(sent, 'base64'))
}

const hashedFile = z.object({ key: z.string(), size: z.int(), sha256: z.string() })

/**
 * Number of the run that a message belongs to. A converter is reused, and a message that arrives after the end of its
 * run must not count for the next one.
 */
const run = z.int()
const ofRun = z.object({ run })

/** Returns the run of a message that may be malformed in every other field. */
export const parseRunNumber = (sent: unknown): number | undefined => ofRun.safeParse(sent).data?.run

/** Returns the first validation error of a message with its field. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const place = formatPath((issue?.path ?? []).map(String))
  return place === '' ? `${issue?.message}` : `${place}: ${issue?.message}`
}

/** Reply to a call of the converter. False: the lease is lost. */
const reply = z.union([z.boolean(), z.map(z.string(), z.string())])
export type CallReply = z.infer<typeof reply>

export const toConverter = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), run, work }),
  z.object({ type: z.literal('abort'), run }),
  z.object({ type: z.literal('reply'), run, call_id: z.int(), reply }),
])

/** Calls of a converter to its worker, the only process that writes the row of the request. */
const call = z.discriminatedUnion('method', [
  /** The final transaction is about to start. */
  z.object({ method: z.literal('enterFinal') }),
  /** State of the partly stored archive. */
  z.object({ method: z.literal('saveCheckpoint'), checkpoint: newCheckpoint.nullable() }),
  /** Uploaded files with their hashes; the reply maps keys of duplicates to keys of stored files. */
  z.object({ method: z.literal('registerContents'), files: z.array(hashedFile) }),
  /** Task whose media are the files of the request. */
  z.object({ method: z.literal('shareWithTask'), task_id: z.int() }),
])

/**
 * Texts of a converter are stored and logged, so they are cut, and characters that the database refuses are removed.
 */
const shortened = (length: number) => z.string().transform((text) => oneLine(text.slice(0, length)))

export const fromConverter = z.discriminatedUnion('type', [
  /** The progress gate corrects the share and the amounts. */
  z.object({
    type: z.literal('progress'),
    run,
    share: z.unknown(),
    stage: shortened(200),
    amounts: z.unknown(),
  }),
  /** The reply names the same `call_id`. */
  z.object({ type: z.literal('call'), run, call_id: z.int(), call }),
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
export type WorkerCall = z.infer<typeof call>

import type { z } from 'zod'
import type { HashedFile } from '../storage/repo-contents.ts'
import type { ProgressCallback } from '../work/amounts.ts'
import type { NewCheckpoint } from '../work/checkpoint.ts'
import { type DetailedFailure, detailOf, invalidMessage } from '../work/failure.ts'
import type { OperationOutcome } from '../work/request-work.ts'
import {
  type CallReply,
  type FromConverter,
  firstIssue,
  fromConverter,
  parseRunNumber,
  type ToConverter,
  type WorkerCall,
} from './converter-messages.ts'
import { progressGate } from './progress-gate.ts'

/** Outcome of a conversion; `detail` is for the log. */
export type ConversionResult =
  | { type: 'done'; outcome: OperationOutcome }
  | { type: 'failed'; failure: DetailedFailure }

export interface ConversionCallbacks {
  progress: ProgressCallback
  /** Resolves with false when the lease is lost. */
  enterFinal: () => Promise<boolean>
  /** Resolves with undefined when the lease is lost. */
  registerContents: (files: HashedFile[]) => Promise<Map<string, string> | undefined>
  /** Resolves with false when the lease is lost. */
  shareWithTask: (task_id: number) => Promise<boolean>
  /** Resolves with false when the lease is lost. */
  saveCheckpoint: (checkpoint: NewCheckpoint | null) => Promise<boolean>
  /** Stops the conversion; its process exits at the latest after the grace period. */
  signal: AbortSignal
}

/** State of one run of a converter in the worker. */
export interface ConverterRun {
  number: number
  progress: (share: unknown, stage: string, amounts: unknown) => void
  /** Runs a call and sends its reply. */
  reply: (call_id: number, call: WorkerCall) => void
  /** Ends the run; only the first call counts. */
  end: (conversion: ConversionResult) => void
  isEnded: () => boolean
  ended: Promise<ConversionResult>
}

export function openConverterRun(
  number: number,
  callbacks: ConversionCallbacks,
  send: (message: ToConverter) => void,
): ConverterRun {
  const { progress } = progressGate(callbacks.progress)
  let isEnded = false
  let resolve: (conversion: ConversionResult) => void = () => undefined
  const ended = new Promise<ConversionResult>((settle) => {
    resolve = settle
  })
  const end = (conversion: ConversionResult) => {
    isEnded = true
    resolve(conversion)
  }
  const reply = async (call_id: number, call: WorkerCall) =>
    send({ type: 'reply', run: number, call_id, reply: await runCall(call, callbacks) })
  return {
    number,
    progress,
    reply: (call_id, call) => {
      reply(call_id, call).catch((thrown) =>
        end({ type: 'failed', failure: { ...unanswered, detail: detailOf(thrown) } }),
      )
    },
    end,
    isEnded: () => isEnded,
    ended,
  }
}

const unanswered = {
  kind: 'transient',
  message: 'A question of the conversion could not be answered',
} as const

/**
 * Handles a message of a converter. An invalid message fails its own run only. A message of an ended run, or without a
 * run, is ignored.
 */
export function handleConverterMessage(
  sent: unknown,
  run: ConverterRun | undefined,
  ignore: (sent: unknown) => void,
): void {
  const number = parseRunNumber(sent)
  if (!run || run.isEnded() || (number !== undefined && number !== run.number)) ignore(sent)
  else handleParsedMessage(run, fromConverter.safeParse(sent))
}

function handleParsedMessage(
  run: ConverterRun,
  { data: message, error }: z.ZodSafeParseResult<FromConverter>,
): void {
  if (error) run.end({ type: 'failed', failure: invalidMessage(firstIssue(error)) })
  else if (message.type === 'progress') run.progress(message.share, message.stage, message.amounts)
  else if (message.type === 'call') run.reply(message.call_id, message.call)
  else run.end(message)
}

/** Runs a call. Returns false when the lease is lost, or when the result is unknown. */
async function runCall(call: WorkerCall, callbacks: ConversionCallbacks): Promise<CallReply> {
  try {
    switch (call.method) {
      case 'enterFinal':
        return await callbacks.enterFinal()
      case 'registerContents':
        return (await callbacks.registerContents(call.files)) ?? false
      case 'saveCheckpoint':
        return await callbacks.saveCheckpoint(call.checkpoint)
      case 'shareWithTask':
        return await callbacks.shareWithTask(call.task_id)
    }
  } catch {
    return false
  }
}

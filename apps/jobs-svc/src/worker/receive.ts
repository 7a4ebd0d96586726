import type { z } from 'zod'
import type { NewCheckpoint } from '../checkpoints/checkpoint.ts'
import type { HashedFile } from '../contents/repo.ts'
import { type DetailedFailure, detailOf, invalidMessage } from '../operations/failure.ts'
import type { Progress } from '../requests/amounts.ts'
import type { Outcome } from '../requests/work.ts'
import {
  type Answer,
  type Asked,
  type FromConverter,
  firstIssue,
  fromConverter,
  runOf,
  type ToConverter,
} from './converter-messages.ts'
import { progressGate } from './progress-gate.ts'

/** Outcome of a conversion; `detail` is for the log. */
export type Conversion =
  | { type: 'done'; outcome: Outcome }
  | { type: 'failed'; failure: DetailedFailure }

export interface Watch {
  progress: Progress
  /** Resolves with false when the lease is lost. */
  enterFinal: () => Promise<boolean>
  /** Resolves with undefined when the lease is lost. */
  keepOnce: (files: HashedFile[]) => Promise<Map<string, string> | undefined>
  /** Resolves with false when the lease is lost. */
  keepForTask: (task_id: number) => Promise<boolean>
  /** Resolves with false when the lease is lost. */
  keepCheckpoint: (checkpoint: NewCheckpoint | null) => Promise<boolean>
  /** Stops the conversion; its process exits at the latest after the grace period. */
  signal: AbortSignal
}

/** State of one run of a converter in the worker. */
export interface Run {
  number: number
  progress: (share: unknown, stage: string, amounts: unknown) => void
  answer: (question: number, asked: Asked) => void
  /** Ends the run; only the first call counts. */
  end: (conversion: Conversion) => void
  isEnded: () => boolean
  ended: Promise<Conversion>
}

export function openRun(number: number, watch: Watch, send: (message: ToConverter) => void): Run {
  const { progress } = progressGate(watch.progress)
  let isEnded = false
  let resolve: (conversion: Conversion) => void = () => undefined
  const ended = new Promise<Conversion>((settle) => {
    resolve = settle
  })
  const end = (conversion: Conversion) => {
    isEnded = true
    resolve(conversion)
  }
  const answer = async (question: number, asked: Asked) =>
    send({ type: 'answer', run: number, question, answer: await answerOf(asked, watch) })
  return {
    number,
    progress,
    answer: (question, asked) => {
      answer(question, asked).catch((thrown) =>
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
export function receive(
  sent: unknown,
  run: Run | undefined,
  ignore: (sent: unknown) => void,
): void {
  const number = runOf(sent)
  if (!run || run.isEnded() || (number !== undefined && number !== run.number)) ignore(sent)
  else take(run, fromConverter.safeParse(sent))
}

function take(run: Run, { data: message, error }: z.ZodSafeParseResult<FromConverter>): void {
  if (error) run.end({ type: 'failed', failure: invalidMessage(firstIssue(error)) })
  else if (message.type === 'progress') run.progress(message.share, message.stage, message.amounts)
  else if (message.type === 'question') run.answer(message.question, message.asked)
  else run.end(message)
}

/** Answers a question. Returns false when the lease is lost, or when the answer is unknown. */
async function answerOf(asked: Asked, watch: Watch): Promise<Answer> {
  try {
    switch (asked.about) {
      case 'final':
        return await watch.enterFinal()
      case 'keep':
        return (await watch.keepOnce(asked.files)) ?? false
      case 'checkpoint':
        return await watch.keepCheckpoint(asked.checkpoint)
      case 'share':
        return await watch.keepForTask(asked.task_id)
    }
  } catch {
    return false
  }
}
